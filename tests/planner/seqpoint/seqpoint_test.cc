// SeqPoints and their alternatives, on small epochs by hand and on random ones.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "planner/seqpoint/alternatives.h"
#include "planner/seqpoint/batches.h"
#include "tests/planner/sample.h"

using namespace planner::seqpoint;
using sample::near;

namespace {

using Lengths = std::vector<int64_t>;

/// Iterations of the lengths 1, 2 ... 12 with times that grow by the square: more than the chapter's n.
std::vector<Iteration> twelve() {
  std::vector<Iteration> run;
  for (int64_t length = 1; length <= 12; ++length)
    for (int64_t i = 0; i < length; ++i) run.push_back({length, static_cast<double>(length * length)});
  return run;
}

Lengths lengths_of(const Epoch& epoch, const Sample& sample) {
  Lengths out;
  for (const Point& p : sample.points) out.push_back(epoch.lengths[p.at].length);
  return out;
}

Lengths weights_of(const Sample& sample) {
  Lengths out;
  for (const Point& p : sample.points) out.push_back(p.weight);
  return out;
}

const Sample& named(const std::vector<Sample>& samples, const std::string& name) {
  const auto it = std::find_if(samples.begin(), samples.end(), [&](const Sample& s) { return s.name == name; });
  REQUIRE(it != samples.end());
  return *it;
}

std::vector<Iteration> random_run() {
  const auto count = *rc::gen::inRange<size_t>(1, 200);
  const auto most = *rc::gen::inRange<int64_t>(1, 400);
  std::vector<Iteration> run;
  for (size_t i = 0; i < count; ++i)
    run.push_back({*rc::gen::inRange<int64_t>(1, most + 1), 0.001 * static_cast<double>(*rc::gen::inRange(1, 10'000))});
  return run;
}

/// The chapter's steps again, from the list of the iterations and with nothing shared: length and weight of the points
/// of k bins. REQUIRES: two lengths.
std::map<int64_t, int64_t> by_the_book(const std::vector<Iteration>& run, int64_t k) {
  int64_t shortest = run[0].length, longest = run[0].length;
  for (const Iteration& i : run) shortest = std::min(shortest, i.length), longest = std::max(longest, i.length);
  std::map<int64_t, int64_t> points;
  for (int64_t bin = 0; bin < k; ++bin) {
    std::map<int64_t, std::vector<double>> inside;
    double sum = 0;
    int64_t count = 0;
    for (const Iteration& i : run) {
      // [shortest + bin width, shortest + (bin + 1) width), times k / (longest - shortest)
      const int64_t at = (i.length - shortest) * k, width = longest - shortest;
      const bool last = bin == k - 1 && i.length == longest;
      if (!last && (at < bin * width || at >= (bin + 1) * width)) continue;
      inside[i.length].push_back(i.seconds);
      sum += i.seconds;
      ++count;
    }
    int64_t chosen = 0;
    double least = 0;
    for (const auto& [length, seconds] : inside) {
      const double mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
      const double distance = std::abs(mean - sum / static_cast<double>(count));
      if (chosen == 0 || distance < least * (1 - 1e-6)) chosen = length, least = distance;
    }
    if (chosen != 0) points[chosen] = count;
  }
  return points;
}

}  // namespace

TEST_CASE("an epoch has each length once, with the mean of its times") {
  const Epoch epoch = epoch_of({{7, 3}, {5, 1}, {7, 5}, {5, 1}, {9, 2}});
  REQUIRE(epoch.lengths.size() == 3);
  CHECK(epoch.lengths[1].length == 7);
  CHECK(epoch.lengths[1].iterations == 2);
  CHECK(epoch.lengths[1].seconds == 4);
  CHECK(epoch.order == std::vector<size_t>{1, 0, 1, 0, 2});
  CHECK(total_seconds(epoch, epoch.times()) == 12);
  CHECK(total_seconds(epoch, {1, 10, 100}) == 122);
}

TEST_CASE("up to ten lengths are all SeqPoints, with their frequency as weight") {
  std::vector<Iteration> run = twelve();
  std::erase_if(run, [](const Iteration& i) { return i.length > 10; });
  const Epoch ten = epoch_of(run);
  const Selection all = select_seqpoints(ten, {});
  CHECK(all.bin_count == 10);
  CHECK(lengths_of(ten, all.sample) == Lengths{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  CHECK(weights_of(all.sample) == Lengths{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  CHECK(projection_error(ten, all.sample, ten.times()) == 0);
  CHECK(all.met);
  CHECK(select_seqpoints(ten, {.threshold = 1, .all_up_to = 9}).bin_count == 5);
}

TEST_CASE("bins of equal width, and of each the length nearest its mean") {
  const Epoch epoch = epoch_of(twelve());
  // Width 2.2: 1-3, 4-5, 6-7, 8-9, 10-12. Means (1 + 8 + 27) / 6 = 6, 189 / 9 = 21, 559 / 13 = 43, 1241 / 17 = 73 and
  // 4059 / 33 = 123; the squares nearest to them are those of 2, 5, 7, 9 and 11.
  CHECK(equal_bins(epoch, 5) == std::vector<Group>{{0, 1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10, 11}});
  const Selection five = select_seqpoints(epoch, {.threshold = 1});
  CHECK(five.bin_count == 5);
  CHECK(lengths_of(epoch, five.sample) == Lengths{2, 5, 7, 9, 11});
  CHECK(weights_of(five.sample) == Lengths{6, 9, 13, 17, 33});
  CHECK(five.sample.runs == 5);
  // 6 * 4 + 9 * 25 + 13 * 49 + 17 * 81 + 33 * 121 = 6256 of 1 + 8 + 27 + ... + 1728 = 6084.
  CHECK(projected_seconds(epoch, five.sample, epoch.times()) == 6256);
  CHECK(near(projection_error(epoch, five.sample, epoch.times()), 172.0 / 6084, 1e-12));
  // On a machine where every iteration takes a second the weights count iterations.
  CHECK(projected_seconds(epoch, five.sample, std::vector<double>(12, 1.0)) == 78);
}

TEST_CASE("more bins until the error is within the threshold, at most one for each length") {
  const Epoch epoch = epoch_of(twelve());
  const Selection exact = select_seqpoints(epoch, {.threshold = 0});
  CHECK(exact.met);
  CHECK(projection_error(epoch, exact.sample, epoch.times()) == 0);
  int64_t before = 5;
  for (const double threshold : {0.5, 0.02, 0.01, 0.001, 0.0}) {
    const Selection s = select_seqpoints(epoch, {.threshold = threshold});
    CHECK(std::abs(projection_error(epoch, s.sample, epoch.times())) <= threshold);
    CHECK(s.bin_count >= before);
    for (int64_t k = 5; k < s.bin_count; ++k) {  // none below does
      Sample fewer{.name = "", .points = {}};
      for (const Group& bin : equal_bins(epoch, k)) fewer.points.push_back(representative(epoch, bin));
      CHECK(std::abs(projection_error(epoch, fewer, epoch.times())) > threshold);
    }
    before = s.bin_count;
  }
  // One far length takes all bins but the first: the others stay together, however many bins there are.
  std::vector<Iteration> far = twelve();
  far.push_back({1'000'000, 5});
  const Epoch stretched = epoch_of(far);
  const Selection missed = select_seqpoints(stretched, {});
  CHECK(!missed.met);
  CHECK(missed.bin_count == 5);  // equal errors: the fewest bins
  CHECK(missed.sample.points.size() == 2);
}

TEST_CASE("alternatives by hand") {
  const Epoch epoch = epoch_of(twelve());
  const std::vector<Sample> samples = alternatives(epoch, {.warmup = 3, .clusters = 3});
  CHECK(lengths_of(epoch, named(samples, "frequent")) == Lengths{12});
  CHECK(lengths_of(epoch, named(samples, "median")) == Lengths{9});  // the 39th of 78: 36 are shorter than 9
  // 78 iterations of 144 s are farthest from the 6084 s of all: +84.6 %, of 1 s -98.7 %.
  CHECK(lengths_of(epoch, named(samples, "worst")) == Lengths{1});
  const Sample& prior = named(samples, "prior");  // without 1, 2, 2, and from the ninth iteration of length 10
  CHECK(lengths_of(epoch, prior) == Lengths{3, 4, 5, 6, 7, 8, 9, 10});
  CHECK(weights_of(prior) == Lengths{3, 4, 5, 6, 7, 8, 9, 8});
  CHECK(prior.runs == 50);
  // (27 + 64 + 125 + 216 + 343 + 512 + 729 + 800) / 50 iterations, times 78: the ratio is normalised by the weights.
  CHECK(near(projected_seconds(epoch, prior, epoch.times()), 2816.0 / 50 * 78, 1e-12));
  CHECK(named(samples, "kmeans").points.size() == 3);
  CHECK(named(samples, "frequent").runs == 1);
}

TEST_CASE("prior never sees a whole run") {
  const auto weights = [](size_t iterations, int64_t warmup) {
    const Epoch epoch = epoch_of(std::vector<Iteration>(iterations, {4, 1}));
    return weights_of(named(alternatives(epoch, {.warmup = warmup}), "prior"));
  };
  for (const size_t all_seen : {1U, 7U, 50U}) {
    const Epoch epoch = epoch_of(std::vector<Iteration>(all_seen, {4, 1}));
    std::vector<std::string> names;
    for (const Sample& sample : alternatives(epoch, {})) names.push_back(sample.name);
    CHECK(names == std::vector<std::string>{"frequent", "median", "worst", "kmeans"});
  }
  CHECK(weights(51, 50) == Lengths{50});
  CHECK(weights(60, 50) == Lengths{50});
  CHECK(weights(200, 50) == Lengths{50});
  std::vector<Iteration> late(30, {4, 1});
  late.resize(60, {8, 1});
  const Epoch epoch = epoch_of(late);
  CHECK(weights_of(named(alternatives(epoch, {.warmup = 50}), "prior")) == Lengths{20, 30});  // its last 50
}

TEST_CASE("k-means finds groups that stand apart, and ends where no length is nearer another mean") {
  std::vector<Iteration> run;
  for (const int64_t middle : {10, 100, 1000})
    for (int64_t i = -2; i <= 2; ++i) run.push_back({middle + i, static_cast<double>(middle + i)});
  CHECK(cluster_times(epoch_of(run), 3) == std::vector<Group>{{0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}, {10, 11, 12, 13, 14}});
  CHECK(rc::check("each length is nearest its own group's mean", [] {
    const Epoch epoch = epoch_of(random_run());
    const std::vector<Group> groups = cluster_times(epoch, *rc::gen::inRange<int64_t>(1, 12));
    std::vector<double> means;
    size_t members = 0;
    for (const Group& g : groups) {
      double sum = 0, count = 0;
      for (const size_t at : g) {
        sum += static_cast<double>(epoch.lengths[at].iterations) * epoch.lengths[at].seconds;
        count += static_cast<double>(epoch.lengths[at].iterations);
      }
      means.push_back(sum / count);
      members += g.size();
    }
    RC_ASSERT(members == epoch.lengths.size());
    for (size_t i = 0; i < groups.size(); ++i)
      for (const size_t at : groups[i])
        for (const double mean : means)
          RC_ASSERT(std::abs(epoch.lengths[at].seconds - means[i]) <=
                    std::abs(epoch.lengths[at].seconds - mean) * (1 + 1e-9) + 1e-9);
  }));
}

TEST_CASE("bins as the chapter's steps make them, written a second time") {
  CHECK(rc::check([] {
    const std::vector<Iteration> run = random_run();
    const int64_t k = *rc::gen::inRange<int64_t>(1, 30);
    const Epoch epoch = epoch_of(run);
    std::map<int64_t, int64_t> points;
    for (const Group& bin : equal_bins(epoch, k)) {
      const Point p = representative(epoch, bin);
      points[epoch.lengths[p.at].length] = p.weight;
    }
    if (epoch.lengths.size() == 1) RC_ASSERT(points.begin()->second == epoch.iterations());
    else RC_ASSERT(points == by_the_book(run, k));
  }));
}

TEST_CASE("weights are iterations, whatever the order of the run") {
  CHECK(rc::check([] {
    std::vector<Iteration> run = random_run();
    const SelectOptions options{.threshold = 0.0001 * *rc::gen::inRange(0, 200)};
    const Epoch epoch = epoch_of(run);
    const Selection one = select_seqpoints(epoch, options);
    const Lengths weights = weights_of(one.sample);
    RC_ASSERT(std::accumulate(weights.begin(), weights.end(), int64_t{0}) == epoch.iterations());
    const double error = projection_error(epoch, one.sample, epoch.times());
    RC_ASSERT(one.met == (std::abs(error) <= options.threshold));
    if (epoch.lengths.size() == one.sample.points.size()) RC_ASSERT(error == 0);
    std::reverse(run.begin(), run.end());
    std::rotate(run.begin(), run.begin() + static_cast<std::ptrdiff_t>(run.size() / 3), run.end());
    const Epoch other = epoch_of(run);
    const Selection two = select_seqpoints(other, options);
    RC_ASSERT(lengths_of(epoch, one.sample) == lengths_of(other, two.sample));
    RC_ASSERT(weights == weights_of(two.sample));
    RC_ASSERT(error == projection_error(other, two.sample, other.times()));
  }));
}

TEST_CASE("batches are padded to their longest sequence, and what is left over is dropped") {
  const Lengths data{5, 9, 1, 4, 4, 8, 30};
  CHECK(batch_lengths(data, {.batch = 2}) == Lengths{9, 4, 8});
  CHECK(batch_lengths(data, {.batch = 2, .order = Order::sorted}) == Lengths{4, 5, 9});
  CHECK(batch_lengths(data, {.batch = 7}) == Lengths{30});
  CHECK(batch_lengths(data, {.batch = 3, .quantum = 8}) == Lengths{16, 8});
  CHECK(batch_lengths(data, {.batch = 3, .divide = 4}) == Lengths{3, 2});  // 9 samples begin a third frame of 4
  CHECK(batch_lengths(data, {.batch = 3, .divide = 4, .quantum = 2}) == Lengths{4, 2});
}

TEST_CASE("bucketed batches are the sorted ones, shuffled ones are not, and a seed gives one order") {
  Lengths data;
  for (int64_t i = 0; i < 1000; ++i) data.push_back(1 + i * 7919 % 997);
  const auto batches = [&](Order order, uint64_t seed) {
    return batch_lengths(data, {.batch = 10, .order = order, .seed = seed});
  };
  Lengths sorted = batches(Order::sorted, 1), bucketed = batches(Order::bucketed, 1);
  CHECK(std::is_sorted(sorted.begin(), sorted.end()));
  CHECK(bucketed != sorted);
  CHECK(bucketed != batches(Order::bucketed, 2));
  CHECK(bucketed == batches(Order::bucketed, 1));
  std::sort(bucketed.begin(), bucketed.end());
  CHECK(bucketed == sorted);
  const Lengths shuffled = batches(Order::shuffled, 1);
  CHECK(shuffled != batches(Order::shuffled, 2));
  // Ten of a thousand at random have their longest near the top.
  CHECK(std::accumulate(shuffled.begin(), shuffled.end(), int64_t{0}) >
        std::accumulate(sorted.begin(), sorted.end(), int64_t{0}) * 3 / 2);
}
