#include "planner/search/influence.h"

#include <algorithm>
#include <random>

#include "planner/plan/plan.h"
#include "planner/plan/violations.h"
#include "planner/scenario/field_setter.h"
#include "planner/search/candidate.h"

namespace planner {
namespace {

constexpr int kLayouts = 4;         // that are looked at
constexpr int kMostTried = 10'000;  // combinations until that many are possible

double spread(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  return most > 0 ? (most - least) / most : 0;
}

Influence influence_of(const dsl::OpenItem& item, Scenario s) {
  const dsl::Setter set = field_setter(s, item.path);
  std::vector<double> bytes, seconds;
  for (const dsl::Value& value : item.values) {
    set(value);
    const Plan plan = make_unchecked_plan(s);
    bytes.push_back(plan.memory->device.peak_bytes);
    seconds.push_back(plan.step->seconds);
  }
  return {spread(bytes), spread(seconds)};
}

/// Layouts that break no rule, at random.
class Layouts {
 public:
  Layouts(const OpenScenario& open, const std::vector<size_t>& order)
      : cursor_(open.space, order), candidate_(open), at_(order.size()) {}

  /// null: none was found.
  const Scenario* next() {
    while (tried_++ < kMostTried) {
      for (uint32_t& each : at_) each = static_cast<uint32_t>(random_());
      cursor_.seek(at_);
      candidate_.skip(cursor_);
      if (cursor_.refusal() != dsl::Refusal::none) continue;
      const Scenario& s = candidate_.at(cursor_);
      if (first_broken_layout_rule(s) == layout_rule_count()) return &s;
    }
    return nullptr;
  }

 private:
  dsl::Cursor cursor_;
  Candidate candidate_;
  std::vector<uint32_t> at_;
  std::mt19937 random_{1};
  int tried_ = 0;
};

}  // namespace

std::vector<Influence> influence(const OpenScenario& open, const std::vector<size_t>& order, size_t free_from) {
  std::vector<Influence> by_level(order.size());
  Layouts layouts(open, order);
  for (int n = 0; n < kLayouts; ++n) {
    const Scenario* s = layouts.next();
    if (!s) break;
    for (size_t level = free_from; level < order.size(); ++level) {
      const Influence of = influence_of(open.space.items()[order[level]], *s);
      by_level[level].bytes += of.bytes;
      by_level[level].seconds += of.seconds;
    }
  }
  return by_level;
}

}  // namespace planner
