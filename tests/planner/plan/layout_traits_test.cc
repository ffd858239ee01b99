// The variance of a change of layout: by hand, and as a distance.
#include "planner/plan/layout_traits.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

using planner::Parallelism;

namespace {

Parallelism layout(int64_t tp, int64_t pp, int64_t dp, int64_t microbatch = 1) {
  Parallelism p;
  p.tp = tp, p.pp = pp, p.dp = dp, p.microbatch = microbatch;
  return p;
}

}  // namespace

TEST_CASE("each trait has a name of its own, and what is not known of it is the common deviation") {
  std::set<std::string> names;
  for (const planner::LayoutTrait& t : planner::layout_traits()) CHECK_MESSAGE(names.insert(t.name).second, t.name);
  const double unknown = planner::kUnknownChange * planner::kUnknownChange;
  CHECK(change_variance({}, layout(1, 1, 2), layout(2, 1, 1)) == doctest::Approx(2 * unknown));
}

TEST_CASE("doublings add up, and any change counts once") {
  // any, ranks, tp, pp, cp, ep, etp, microbatch, interleave, recompute, zero
  const std::vector<double> deviations{0.01, 0.02, 0.03, 0.04, 1, 1, 1, 0.05, 1, 0.06, 0.07};
  const auto variance = [&](const Parallelism& a, const Parallelism& b) { return change_variance(deviations, a, b); };
  CHECK(variance(layout(8, 1, 2), layout(2, 4, 2)) == doctest::Approx(0.01 * 0.01 + 2 * 0.03 * 0.03 + 2 * 0.04 * 0.04));
  CHECK(variance(layout(1, 1, 8), layout(1, 1, 16, 4)) == doctest::Approx(0.01 * 0.01 + 0.02 * 0.02 + 2 * 0.05 * 0.05));
  Parallelism all = layout(1, 1, 8), none = all;
  all.recompute = planner::Recompute::full;
  all.zero = 3, none.zero = 1;
  CHECK(variance(all, none) == doctest::Approx(0.01 * 0.01 + 0.06 * 0.06 + 0.07 * 0.07));
  CHECK(variance(all, none) == variance(none, all));
}
