#include "planner/tables/dlrm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "planner/plan/plan.h"
#include "planner/workload/cost.h"
#include "planner/workload/lower/builder.h"
#include "planner/workload/placement.h"

namespace planner::tables {
namespace {

bool is_lookup(const FixedOperator& o) { return o.kind == FixedKind::lookup; }

/// The scenario without its tables.
Scenario dense_part(const Scenario& scenario) {
  Scenario dense = scenario;
  std::erase_if(dense.model.operators, is_lookup);
  return dense;
}

bool check(const Scenario& s, dsl::Diagnostics& diagnostics) {
  if (std::ranges::none_of(s.model.operators, is_lookup))
    diagnostics.error({}, fmt::format("the model {} has no operator of kind lookup", s.model.name),
                      "--scenario takes a recommender (scenarios/dlrm-large-a100.yaml)");
  else if (std::ranges::all_of(s.model.operators, is_lookup))
    diagnostics.error({}, fmt::format("the model {} has tables alone", s.model.name), "--on, --ranks and --batch do");
  for (const Violation& v : layout_violations(s)) diagnostics.error({}, fmt::format("{}: {}", v.rule, v.message));
  if (diagnostics.has_errors()) return false;
  if (const int64_t all = s.parallelism.microbatch * s.parallelism.dp; s.job.global_batch != all)
    diagnostics.error(
        {}, fmt::format("a step has {} microbatches: tables are placed for steps of one", s.job.global_batch / all),
        fmt::format("--set parallelism.microbatch={}", s.job.global_batch / s.parallelism.dp));
  return !diagnostics.has_errors();
}

}  // namespace

std::optional<DlrmSite> dlrm_site(const Scenario& s, double share, dsl::Diagnostics& diagnostics) {
  if (!check(s, diagnostics)) return std::nullopt;
  const Plan plan = make_unchecked_plan(dense_part(s));
  if (!plan.step || !plan.memory) {
    diagnostics.error({}, "the layers beside the tables have no step");
    return std::nullopt;
  }
  DlrmSite out{.site = {.device = device_of(s), .models = s.operator_models, .group = data_group(s)},
               .dense_peak_bytes = plan.memory->device.peak_bytes};
  Site& site = out.site;
  site.batch = static_cast<double>(s.job.global_batch);
  site.table_bytes = s.software.memory.weight;
  site.exchange_bytes = is_wide(s.job.precision) ? 4 : 2;
  site.memory_bytes =
      std::max(0.0, std::min(share * s.cluster.gpu.memory.value, s.cluster.gpu.memory.value - out.dense_peak_bytes));
  site.skew_seconds = (s.software.skew + s.cluster.skew).value * std::log2(static_cast<double>(site.group.ranks));
  site.dense_seconds = plan.step->seconds;
  return out;
}

void check_width(const Scenario& s, const std::vector<Table>& tables, dsl::Diagnostics& diagnostics) {
  int64_t own = 0, given = 0;
  for (const FixedOperator& o : s.model.operators)
    if (is_lookup(o)) own += o.count * static_cast<int64_t>(o.tables.size()) * o.out;
  for (const Table& table : tables) given += table.dim;
  if (own != given)
    diagnostics.warning({}, fmt::format("the layers behind the tables are those of {}: of {} values from tables, and "
                                        "these tables give {}",
                                        s.model.name, own, given));
}

}  // namespace planner::tables
