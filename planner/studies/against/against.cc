#include "planner/studies/against/against.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/plan/plan.h"
#include "planner/resolve/read.h"

namespace planner::scaling {
namespace {

/// All that is known of the model at one value of its parameter.
AgainstPoint known(const Model& time, double x) {
  AgainstPoint p{.x = x, .empirical = time.at(std::vector{x})};
  for (size_t i = 0; i < time.values.size(); ++i)
    if (time.points[i][0] == x) p.measured = time.values[i];
  for (size_t i = 0; i < time.held.size(); ++i)
    if (time.held[i][0] == x) p.measured = time.held_values[i];
  return p;
}

void take(const Plan& plan, double steps, AgainstPoint& p) {
  if (!plan.step) {
    for (const Violation& v : plan.violations) p.why += (p.why.empty() ? "" : "; ") + v.rule + ": " + v.message;
    return;
  }
  p.analytical = steps * plan.step->seconds;
  p.low = steps * plan.step->low_seconds;
  p.high = steps * plan.step->high_seconds;
}

std::vector<double> values_of(const Model& time, const AgainstOptions& options) {
  std::vector<double> at = options.at;
  if (at.empty()) {
    for (const auto& point : time.points) at.push_back(point[0]);
    for (const auto& point : time.held) at.push_back(point[0]);
  }
  std::ranges::sort(at);
  at.erase(std::unique(at.begin(), at.end()), at.end());
  return at;
}

}  // namespace

std::optional<std::vector<AgainstPoint>> against(const Model& time, const AgainstOptions& options,
                                                 const dsl::Source& scenario, const dsl::Catalog& catalog,
                                                 dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
  std::vector<AgainstPoint> out;
  for (const double x : values_of(time, options)) {
    std::vector<dsl::Override> overrides = options.overrides;
    overrides.push_back({fmt::format("{}={}", options.path, x), {}});
    dsl::Diagnostics told;
    const auto loaded = read_scenario(scenario, overrides, catalog, sources, told, {.pick_first = true});
    if (out.empty() || !loaded)  // warnings are the same for every value
      diagnostics.list.insert(diagnostics.list.end(), told.list.begin(), told.list.end());
    if (!loaded) return std::nullopt;
    out.push_back(known(time, x));
    take(make_plan(loaded->scenario), options.steps ? options.steps(x) : 1, out.back());
  }
  return out;
}

}  // namespace planner::scaling
