// Gradients of a trace reduced otherwise: when the new reductions run, and what waits for them.
#include "planner/replay/rebucket.h"

#include <doctest/doctest.h>

#include "tests/planner/replay/replayed.h"
#include "tests/planner/trace/data_parallel.h"

using namespace planner::replay;

namespace {

/// Four gradients of 20 us, reduced by twos in 5 us and 1 us for 100 elements of 4 bytes; device-bound.
sample::DataParallel run_of(std::vector<int64_t> late_us) {
  return {.elements = {1000, 1000, 1000, 1000},
          .kernel_us = {20, 20, 20, 20},
          .bucket_ends = {2, 4},
          .late_us = std::move(late_us)};
}

constexpr double kLatency = 5e-6, kPerByte = 1e-6 / 400;

Decisions decisions(std::vector<DecidedBucket> buckets, size_t gradients = 4) {
  for (DecidedBucket& bucket : buckets) bucket.bytes = 4000 * static_cast<double>(bucket.gradients.size());
  return {gradients, std::move(buckets), kLatency, kPerByte};
}

struct Played {
  sample::Replay replay;
  std::vector<Run> before, after;
  Rebucketed came;

  Played(const sample::DataParallel& run, const Decisions& decided) : replay(sample::data_parallel(run)) {
    before = planner::replay::run(replay.replayed.graph).value();
    Replayed changed = replay.replayed;
    came = apply(decided, replay.trace, gradients(), changed);
    after = planner::replay::run(changed.graph).value();
  }
  GradientSteps gradients() const { return planner::trace::gradients_of(replay.trace, replay.steps, replay.matched); }
  /// When the n-th event of a name of a rank begins, in us.
  int64_t begin_us(const char* name, size_t n, size_t rank, const std::vector<Run>& runs) const {
    const planner::trace::RankTrace& of = replay.trace[rank];
    for (size_t i = 0; i < of.events.size(); ++i)
      if (of.name(of.events[i]) == name && n-- == 0)
        return runs[replay.replayed.events[rank][i].first].begin_ns / sample::kUs;
    FAIL(name);
    return 0;
  }
  /// Begins and ends of the reductions of the first step on a rank, in us.
  std::vector<std::pair<int64_t, int64_t>> reductions(size_t rank) const {
    std::vector<std::pair<int64_t, int64_t>> all;
    for (const PutIn& each : came.put_in)
      if (each.rank == rank && each.step == 0)
        all.emplace_back(after[each.join].begin_ns / sample::kUs, after[each.end].end_ns / sample::kUs);
    return all;
  }
};

}  // namespace

TEST_CASE("the buckets that were measured replay to what was measured, on each rank and in each step") {
  for (const std::vector<int64_t>& late : {std::vector<int64_t>{0}, {0, 0}, {0, 30, 7}}) {
    const Played played(run_of(late), decisions({{.gradients = {0, 1}}, {.gradients = {2, 3}}}));
    CHECK(played.came.steps == 2);
    CHECK(played.came.put_in.size() == 4 * late.size());
    for (size_t r = 0; r < late.size(); ++r)
      for (const size_t step : {0, 1}) {
        const int64_t measured = played.begin_us("adam", step, r, played.before);
        CHECK(std::abs(played.begin_us("adam", step, r, played.after) - measured) <= 1);
      }
  }
}

// The kernels end at 26, 46, 66 and 86 us: launched at 2 us, they run one behind the other from 6 us on.
TEST_CASE("a reduction runs when its last gradient is there and the one before it is done") {
  struct Row {
    const char* what;
    std::vector<DecidedBucket> buckets;
    std::vector<std::pair<int64_t, int64_t>> reductions;
  };
  const Row rows[] = {
      {"all as one", {{.gradients = {0, 1, 2, 3}}}, {{86, 131}}},
      {"each by itself", {{{0}}, {{1}}, {{2}}, {{3}}}, {{26, 41}, {46, 61}, {66, 81}, {86, 101}}},
      {"one behind another", {{.gradients = {0, 1, 2}}, {.gradients = {3}}}, {{66, 101}, {101, 116}}},
      {"in partitions", {{.gradients = {0, 1, 2, 3}, .partitions = 2}}, {{86, 111}, {111, 136}}},
      {"that wait", {{.gradients = {0, 1, 2, 3}, .wait_seconds = 10e-6}}, {{96, 141}}},
      {"that are no neighbours", {{.gradients = {0, 2}}, {.gradients = {1, 3}}}, {{66, 91}, {91, 116}}},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    const Played played(run_of({0, 0}), decisions(row.buckets));
    for (const size_t rank : {0, 1}) {
      CHECK(played.reductions(rank) == row.reductions);
      CHECK(played.begin_us("adam", 0, rank, played.after) == row.reductions.back().second + 1);
    }
  }
}

TEST_CASE("a reduction begins when its last rank is ready") {
  const Played played(run_of({0, 30}), decisions({{.gradients = {0, 1, 2, 3}}}));
  for (const size_t rank : {0, 1}) CHECK(played.reductions(rank).front() == std::pair<int64_t, int64_t>{116, 161});
}

TEST_CASE("hosts take as long for each new reduction as for each old one") {
  sample::DataParallel run = run_of({0});
  run.host_us = 100;  // the device waits for its host
  run.launch_us = 40;
  const std::vector<DecidedBucket> one{{.gradients = {0, 1, 2, 3}}}, four{{{0}}, {{1}}, {{2}}, {{3}}};
  const int64_t measured = Played(run, decisions(one)).begin_us("wgrad", 3, 0, Played(run, decisions(one)).before);
  const auto last_kernel = [&](const std::vector<DecidedBucket>& buckets) {
    const Played played(run, decisions(buckets));
    return played.begin_us("wgrad", 3, 0, played.after);
  };
  CHECK(measured == 1 + 1 + 3 * 100 + 40 + 4);  // behind one reduction
  CHECK(last_kernel(one) == measured - 40);
  CHECK(last_kernel(four) == measured + 2 * 40);
}

TEST_CASE("what waited for a reduction waits for what was launched before it") {
  // The second bucket's work now is of one with the first one's: the optimizer alone waits for it.
  const Played played(run_of({0}), decisions({{.gradients = {0, 1, 2, 3}}}));
  CHECK(played.begin_us("wgrad", 3, 0, played.after) == played.begin_us("wgrad", 3, 0, played.before));
}

TEST_CASE("steps with another number of gradients stay as they were") {
  const Played played(run_of({0, 0}), decisions({{.gradients = {0, 1, 2}}}, 3));
  CHECK(played.came.steps == 0);
  CHECK(played.came.others == 2);
  CHECK(played.came.put_in.empty());
  CHECK(played.begin_us("adam", 1, 1, played.after) == played.begin_us("adam", 1, 1, played.before));
}
