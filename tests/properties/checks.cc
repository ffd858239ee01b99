#include "tests/properties/checks.h"

#include <fmt/format.h>

#include <cmath>

#include "planner/plan/fits.h"
#include "planner/plan/goals.h"
#include "planner/plan/step.h"
#include "planner/search/search.h"
#include "planner/search/sweep.h"
#include "planner/workload/passes/passes.h"

namespace properties {
namespace {

Verdict same_figures(const Plan& a, const Plan& b) {
  if (!a.step || !b.step) return {fmt::format("{} and {} violations", a.violations.size(), b.violations.size())};
  if (a.step->seconds != b.step->seconds) return {fmt::format("{} s and {} s", a.step->seconds, b.step->seconds)};
  if (a.memory->device.peak_bytes != b.memory->device.peak_bytes)
    return {fmt::format("{} and {} bytes", a.memory->device.peak_bytes, b.memory->device.peak_bytes)};
  if (a.feasible != b.feasible) return {"one is feasible, the other not"};
  return {};
}

Verdict text_says_the_same(const Written& written, const Scenario& scenario, Random&) {
  const std::optional<Scenario> again = read(written, layout_sets(scenario));
  if (!again) return {"it cannot be read with its layout"};
  return same_figures(planner::make_plan(scenario), planner::make_plan(*again));
}

/// The event by event play is a second implementation of what closed forms and recurrences say.
Verdict timeline_ends_with_the_pipeline(const Written&, const Scenario& s, Random&) {
  constexpr int64_t kMostPlayed = 20'000;
  const planner::CostedWorkload costed = planner::cost_workload(s, planner::build_workload(s));
  const planner::PipelineShape shape = planner::pipeline_shape(s, costed);
  if (shape.stages * shape.chunks * shape.microbatches > kMostPlayed) return {};
  const double played = planner::simulate(shape, costed.workload.deal.schedule->name).seconds;
  const double timed = costed.workload.deal.schedule->time(shape).seconds;
  if (std::abs(played - timed) <= 1e-9 * timed) return {};
  return {fmt::format("{} s played, {} s timed", played, timed)};
}

/// Choices about a scenario, which a search walks in any combination.
Sets draw_choices(const Scenario& s, Random& random) {
  const std::vector<std::string> all{
      "parallelism.tp=[1, 2, 4]",
      "parallelism.pp=[1, 2, 3]",
      "parallelism.microbatch=[1, 2]",
      "parallelism.zero=[0, 1, 2, 3]",
      "parallelism.recompute=[none, selective, full]",
      "parallelism.schedule=[1f1b, gpipe, zb-h1]",
      "parallelism.sequence_parallel=[false, true]",
      "parallelism.offload.optimizer=[0, 1]",
      "parallelism.ep=[1, 2]",
      "parallelism.cp=[1, 2]",
      "software.overlap.gradients=[false, true]",
      "cluster.gpu.memory=[1 GB, 1 TB]",
      "job.optimizer=[adam, sgd]",
  };
  Sets sets{fmt::format("cluster.gpus={}", random.of({8, 12, 16})), "job.global_batch=96",
            fmt::format("job.sequence={}", s.job.sequence), fmt::format("job.document={}", s.job.document)};
  for (int i = 0; i < 3; ++i) sets.push_back(random.of(all));
  return sets;
}

Sets chosen(const planner::OpenScenario& open, const std::vector<dsl::Value>& values) {
  const std::vector<std::string> names = planner::choice_names(open.space);
  Sets sets;
  for (size_t i = 0; i < values.size(); ++i) sets.push_back(names[i] + "=" + dsl::to_text(values[i]));
  return sets;
}

Verdict candidate_is_its_plan(const planner::Swept& row, const Plan& plan) {
  if (row.found.has_value() != plan.step.has_value()) return {"a search costs what a plan refuses, or the reverse"};
  // A search asks for the probability of goal.fit, a plan whether the memory may do at all.
  const bool fits = plan.feasible && (!plan.memory || !plan.memory->overflows());
  if (row.broken.empty() != fits) return {"feasible in one, not in the other"};
  if (!plan.step) return {};
  const planner::Results& r = row.found->results;
  if (r.step.seconds != plan.step->seconds || r.step.high_seconds != plan.step->high_seconds)
    return {fmt::format("{} s in the search, {} s in the plan", r.step.seconds, plan.step->seconds)};
  if (r.peak_bytes != plan.memory->device.peak_bytes)
    return {fmt::format("{} bytes in the search, {} in the plan", r.peak_bytes, plan.memory->device.peak_bytes)};
  if (r.mfu != plan.throughput->mfu) return {"another MFU"};
  return {};
}

Verdict search_is_brute_force(const Written& written, const Scenario& s, Random& random) {
  const Sets sets = draw_choices(s, random);
  const std::unique_ptr<Opened> opened = open(written, sets);
  if (!opened) return {"a search cannot read what a plan can"};
  Verdict verdict;
  planner::sweep(*opened->scenario, [&](const planner::Swept& row) {
    if (row.broken == std::vector<std::string>{"divisibility"}) return true;         // an error in a plan
    if (row.broken == std::vector<std::string>{planner::kProgramRule}) return true;  // make_plan asks no conditions
    const Sets choices = chosen(*opened->scenario, row.choices);
    const std::optional<Scenario> alone = read(written, sets + choices);
    if (!alone) verdict = {"a plan cannot read a candidate"};
    else verdict = candidate_is_its_plan(row, planner::make_plan(*alone));
    if (!verdict.wrong.empty())
      for (const std::string& set : sets + choices) verdict.wrong += " --set '" + set + "'";
    return verdict.wrong.empty();
  });
  return verdict;
}

constexpr Check kChecks[] = {
    {"a text with --set says what the scenario says", text_says_the_same, 0.2},
    {"a timeline ends when the pipeline does", timeline_ends_with_the_pipeline},
    {"every candidate of a search is its plan, bit by bit", search_is_brute_force, 0.05},
};

}  // namespace

std::span<const Check> checks() { return kChecks; }

}  // namespace properties
