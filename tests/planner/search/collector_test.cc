// What a walk keeps: against sorting everything, and whatever the parts that it was cut into.
#include "planner/search/collector.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

namespace {

using planner::Collector;
using planner::Found;
using planner::Position;

/// Axes with few different values, so that ties are frequent: two to make small, one to make large; `usd` may be null.
Found candidate(int64_t at) {
  const auto few = [] { return static_cast<double>(*rc::gen::inRange(1, 5)); };
  Found f;
  f.position = {.part = at / 4, .at = {static_cast<uint32_t>(at)}};
  f.results.step.seconds = few();
  f.results.headroom_bytes = few();
  if (*rc::gen::inRange(0, 4) > 0) f.results.usd = few();
  f.results.gpus = 8 * *rc::gen::inRange(1, 4);
  f.results.tokens_per_second = few();
  f.objective = few();
  return f;
}

std::vector<Found> candidates(int most) {
  std::vector<Found> all;
  for (int64_t at = 0, count = *rc::gen::inRange(0, most); at < count; ++at) all.push_back(candidate(at));
  return all;
}

Position at(uint32_t first, uint32_t second) { return {.part = first, .at = {first, second}}; }

void visit(Collector& collector, const Found& found) {
  if (collector.wanted(found.results, found.objective, found.position)) collector.keep(found);
}

std::vector<const planner::ResultRow*> axes() {
  return {planner::find_result("step"), planner::find_result("memory.headroom"), planner::find_result("usd")};
}

std::vector<Position> positions(const auto& list) {
  std::vector<Position> out;
  for (const Found& found : list) out.push_back(found.position);
  return out;
}

/// What `planner::ResultRow` says of an axis, written out: nothing is dearer than a price that is not known.
std::array<double, 3> costs(const Found& f) {
  return {f.results.step.seconds, -f.results.headroom_bytes, f.results.usd.value_or(1e300)};
}

bool beats(const Found& a, const Found& b) {
  const auto x = costs(a), y = costs(b);
  for (size_t i = 0; i < x.size(); ++i)
    if (x[i] > y[i]) return false;
  return x != y || a.position < b.position;
}

bool same(const Collector& a, const Collector& b) {
  return positions(a.plans()) == positions(b.plans()) && positions(a.result.pareto) == positions(b.result.pareto) &&
         a.result.candidates == b.result.candidates && a.result.evaluated == b.result.evaluated &&
         a.result.feasible == b.result.feasible && a.result.rejected == b.result.rejected &&
         a.throughput() == b.throughput() && a.result.unmet == b.result.unmet &&
         a.result.nearest.has_value() == b.result.nearest.has_value() &&
         (!a.result.nearest || a.result.nearest->position == b.result.nearest->position);
}

void refuse(Collector& collector, const Found& found) {
  collector.reject_costed("memory");
  const planner::Excess excess{found.results.gpus % 2 == 0, found.objective};
  if (collector.nearer(excess, found.position)) collector.keep({excess, found.position, {}});
}

}  // namespace

TEST_CASE("the best are those that sorting puts first: by goal, by step, in the order of the enumeration") {
  CHECK(rc::check([] {
    const planner::SearchOptions options{.top = static_cast<size_t>(*rc::gen::inRange(1, 8)), .pareto = {}};
    std::vector<Found> all = candidates(60);
    Collector collector(options);
    for (const Found& found : all) visit(collector, found);
    std::stable_sort(all.begin(), all.end(), [](const Found& a, const Found& b) {
      return std::pair(a.objective, a.results.step.seconds) < std::pair(b.objective, b.results.step.seconds);
    });
    all.resize(std::min(all.size(), options.top));
    RC_ASSERT(positions(collector.plans()) == positions(all));
    RC_ASSERT(collector.result.pareto.empty());
  }));
}

TEST_CASE("the front is what nothing beats, by comparing all pairs") {
  CHECK(rc::check([] {
    const planner::SearchOptions options{.top = 1, .pareto = axes()};
    const std::vector<Found> all = candidates(60);
    Collector collector(options);
    for (const Found& found : all) visit(collector, found);
    std::vector<Found> front;
    for (const Found& found : all)
      if (std::none_of(all.begin(), all.end(), [&](const Found& other) { return beats(other, found); }))
        front.push_back(found);
    RC_ASSERT(positions(collector.result.pareto) == positions(front));
  }));
}

TEST_CASE("parts of a walk, merged in any order, are the walk") {
  CHECK(rc::check([] {
    const planner::SearchOptions options{.top = 3, .pareto = axes()};
    const std::vector<Found> all = candidates(60);
    Collector whole(options);
    std::vector<Collector> parts(static_cast<size_t>(*rc::gen::inRange(1, 5)), Collector(options));
    const int most_fate = *rc::gen::element(2, 4);  // nothing is feasible, or half of it
    for (const Found& found : all) {
      Collector& part = parts[*rc::gen::inRange<size_t>(0, parts.size())];
      const int fate = *rc::gen::inRange(0, most_fate);
      const size_t condition = *rc::gen::inRange<size_t>(0, 3);
      for (Collector* collector : {&whole, &part}) {
        if (fate == 0) Collector::count(collector->result.unmet, condition, 1), collector->reject("where", 1);
        else if (fate == 1) refuse(*collector, found);
        else visit(*collector, found);
      }
    }
    for (size_t i = parts.size(); i > 1; --i) std::swap(parts[i - 1], parts[*rc::gen::inRange<size_t>(0, i)]);
    Collector merged(options);
    for (const Collector& part : parts) merged.merge(part);
    RC_ASSERT(same(merged, whole));
  }));
}

TEST_CASE("the nearest miss has the least excess, then comes first, and is forgotten where anything is feasible") {
  const planner::SearchOptions options{.top = 1, .pareto = {}};
  Collector collector(options);
  const auto nearer = [&](bool overflows, double shares, const planner::Position& position) {
    return collector.nearer({overflows, shares}, position);
  };
  CHECK(nearer(true, 1e300, at(0, 0)));
  collector.keep(planner::Miss{{true, 0.5}, at(1, 0), {}});
  CHECK(nearer(true, 0.4, at(2, 0)));
  CHECK(nearer(true, 0.5, at(0, 7)));
  CHECK(!nearer(true, 0.5, at(1, 0)));
  CHECK(!nearer(true, 0.6, at(0, 0)));
  CHECK(nearer(false, 1e300, at(2, 0)));  // it fits, and misses the goal
  CHECK(!collector.is_far({false, 1e300}));
  collector.keep(planner::Miss{{false, 7}, at(2, 0), {}});
  CHECK(!nearer(true, 0, at(0, 0)));
  CHECK(collector.is_far({true, 0}));
  CHECK(nearer(false, 6, at(3, 0)));
  CHECK(collector.wanted(planner::Results(), 1, at(0, 0)));
  CHECK(!collector.result.nearest);
  CHECK(!nearer(false, 0, at(0, 0)));
}

TEST_CASE("counts: a candidate is refused before costing, after it, or is feasible") {
  const planner::SearchOptions options{.top = 1, .pareto = {}};
  Collector collector(options);
  CHECK(collector.base_throughput() == 0);
  for (int i = 0; i < 3; ++i) collector.reject("ranks", 1);
  for (int i = 0; i < 2; ++i) collector.reject_costed("memory");
  collector.reject_costed("deadline");
  Found found;
  found.position = at(0, 0);
  uint32_t place = 0;
  const std::pair<int64_t, double> throughputs[] = {{16, 90}, {8, 20}, {8, 40}, {8, 30}, {32, 1000}};
  for (const auto& [gpus, tokens] : throughputs) {
    found.results.gpus = gpus, found.results.tokens_per_second = tokens;
    visit(collector, found);
    found.position = at(0, ++place);
  }
  CHECK(collector.result.candidates == 11);
  CHECK(collector.result.evaluated == 8);
  CHECK(collector.result.feasible == 5);
  CHECK(collector.result.rejected == std::map<std::string, int64_t>{{"deadline", 1}, {"memory", 2}, {"ranks", 3}});
  CHECK(collector.base_throughput() == 5);  // 40 tokens a second on 8 GPUs
  CHECK(positions(collector.plans()) == std::vector<Position>{at(0, 0)});
}

TEST_CASE("what is no better than what is kept is not asked for in full") {
  const planner::SearchOptions options{.top = 1, .pareto = {}};
  Collector collector(options);
  const planner::Results none;
  Found found;
  found.position = at(0, 5);
  found.objective = 2;
  CHECK(collector.wanted(none, 2, at(0, 5)));
  collector.keep(found);
  CHECK(!collector.wanted(none, 2, at(0, 6)));
  CHECK(collector.wanted(none, 2, at(0, 4)));
  CHECK(collector.wanted(none, 1, at(9, 9)));
  CHECK(!collector.wanted(none, 3, at(0, 0)));
}

TEST_CASE("bounds: what may still be kept, and what says more of the fewest GPUs") {
  const planner::SearchOptions options{.top = 1, .pareto = {}};
  Collector collector(options);
  planner::Results results;
  results.gpus = 16, results.tokens_per_second = 160;
  CHECK(collector.may_keep(results, 2, at(0, 0)));  // nothing is kept
  Found found;
  found.position = at(0, 0);
  found.results = results;
  found.objective = 2;
  visit(collector, found);
  const auto may_keep = [&](int64_t gpus, double tokens, double objective) {
    results.gpus = gpus, results.tokens_per_second = tokens;
    return collector.may_keep(results, objective, at(0, 1));
  };
  CHECK(may_keep(32, 1000, 1.9));
  CHECK_FALSE(may_keep(32, 1000, 2));
  CHECK(may_keep(8, 1, 3));     // fewer than the fewest
  CHECK(may_keep(16, 161, 3));  // more of the fewest
  CHECK_FALSE(may_keep(16, 160, 3));
  collector.pass_feasible(32);
  CHECK(collector.result.feasible == 2);
  CHECK(collector.base_throughput() == 10);
  CHECK(collector.throughput().rbegin()->first == 32);
}
