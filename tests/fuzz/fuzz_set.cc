// libFuzzer: a line with the number of a shipped scenario, then lines PATH=VALUE as `--set`, on the real schema. It
// must end in a plan whose figures are finite, in one that is not feasible, or in messages with places.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "dsl/read_text.h"
#include "planner/plan/plan.h"
#include "planner/resolve/read.h"
#include "tests/fuzz/fuzz.h"

namespace {

using fuzz::require;

constexpr size_t kMostSets = 8;

/// The texts of scenarios/, by name.
const std::vector<dsl::Source>& scenarios() {
  static const std::vector<dsl::Source> all = [] {
    std::vector<dsl::Source> out;
    for (const auto& entry : std::filesystem::directory_iterator("scenarios")) {
      std::string why;
      if (entry.path().extension() == ".yaml")
        out.push_back(
            {entry.path().string(), *dsl::read_file(entry.path().string(), size_t{1} << 20, why), "scenarios"});
    }
    std::ranges::sort(out, {}, &dsl::Source::name);
    require(!out.empty());
    return out;
  }();
  return all;
}

void check(const planner::Plan& plan) {
  require(plan.feasible == plan.violations.empty());
  const bool told = std::ranges::any_of(plan.violations, [](const auto& v) { return v.rule == planner::kFiniteRule; });
  if (!plan.step || !plan.memory || told) return;
  const planner::StepTime& step = *plan.step;
  require(planner::is_finite(step) && planner::is_finite(*plan.memory));
  require(step.seconds > 0 && step.low_seconds <= step.seconds && step.seconds <= step.high_seconds);
  require(std::isfinite(plan.throughput->mfu) && plan.throughput->mfu >= 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text = fuzz::text_of(data, size);
  const size_t number = std::strtoull(fuzz::take_line(text).c_str(), nullptr, 10);
  std::vector<dsl::Override> overrides;
  while (!text.empty() && overrides.size() < kMostSets) overrides.push_back({fuzz::take_line(text)});
  static const dsl::Catalog catalog{planner::builtin_catalog(), {}};
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  const auto loaded = planner::read_scenario(scenarios()[number % scenarios().size()], overrides, catalog, sources,
                                             diagnostics, {.pick_first = true});
  fuzz::require_value_or_error(loaded, diagnostics);
  fuzz::require_places(diagnostics);
  if (loaded) check(planner::make_plan(loaded->scenario));
  return 0;
}
