#include <fmt/format.h>

#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/commands/open.h"
#include "cli/commands/pick.h"
#include "cli/commands/rank_list.h"
#include "cli/commands/vary.h"
#include "cli/commands/whole_file.h"
#include "cli/files/timeline.h"
#include "cli/pages/diagnostics_report.h"
#include "cli/pages/plan_basis.h"
#include "cli/pages/plan_report.h"
#include "planner/plan/fits.h"
#include "planner/plan/goals.h"
#include "planner/plan/timeline.h"

namespace cli {
namespace {

struct PlanFlags {
  CommonFlags common;
  ScenarioFlags scenario;
  std::string timeline;             // file for the events of the pipeline
  std::optional<std::string> rank;  // whose they are; nullopt: those of all stages
  std::vector<std::string> vary;    // "price=0.8"
};

constexpr std::array kPlanRows{
    flag<&PlanFlags::timeline>({"--timeline", "FILE",
                                "write the events of the pipeline, in the trace-event format of Perfetto and Chrome",
                                Takes::output}),
    flag<&PlanFlags::rank>(
        {"--rank", "RANKS", "only the timeline of these ranks, such as 0 or 0-7,12: each runs its stage"}),
    flag<&PlanFlags::vary>({"--vary", "A=X,B=Y",
                            "days and dollars with a number X times as large, each alone and all together: "
                            "price=0.8,tokens=1.2,failures=2",
                            Takes::list}),
};
constexpr auto kPlanFlags = scenario_flags(kPickRows<PlanFlags>, kMeasuredRows<PlanFlags>, kPlanRows);

/// Refuses a timeline of more events than a viewer takes.
bool is_too_long(double events, const char* hint, dsl::Diagnostics& diagnostics) {
  if (events <= planner::kMostEvents) return false;
  diagnostics.error(
      {}, fmt::format("the timeline has {:.0f} events, and the limit is {:.0f}", events, planner::kMostEvents), hint);
  return true;
}

/// The events of all stages. nullopt: there are too many (diagnosed).
std::optional<std::string> stage_events(const planner::Scenario& scenario, dsl::Diagnostics& diagnostics) {
  if (is_too_long(planner::timeline_events(scenario),
                  "fewer microbatches show the same pattern: --set job.global_batch=...", diagnostics))
    return std::nullopt;
  return trace_events(planner::make_timeline(scenario));
}

/// The events of some ranks. nullopt: there are too many, or not these ranks (diagnosed).
std::optional<std::string> rank_events(const std::string& named, const planner::Scenario& scenario,
                                       dsl::Diagnostics& diagnostics) {
  const int64_t gpus = scenario.cluster.gpus;
  const auto ranks = ranks_named(
      named, [gpus](int64_t rank) { return rank < gpus; }, fmt::format("the plan has {}, counted from 0", gpus),
      diagnostics);
  const double events = planner::timeline_events(scenario);
  if (!ranks || events == 0) return ranks ? stage_events(scenario, diagnostics) : std::nullopt;
  const double shown = events / static_cast<double>(scenario.parallelism.pp) * static_cast<double>(ranks->size());
  if (is_too_long(std::max(events, shown),
                  shown > events ? "ask for fewer ranks: those of one stage do the same"
                                 : "fewer microbatches show the same pattern: --set job.global_batch=...",
                  diagnostics))
    return std::nullopt;
  return trace_events(planner::make_timeline(scenario), scenario, *ranks);
}

/// The events beside the plan; a file that cannot be written is a mistake like any other.
void write_timeline(const PlanFlags& options, const planner::Scenario& scenario, Session& session) {
  if (options.timeline.empty()) return;
  const std::optional<std::string> text = options.rank ? rank_events(*options.rank, scenario, session.diagnostics)
                                                       : stage_events(scenario, session.diagnostics);
  if (!text) return;
  const std::string wrong = write_whole(options.timeline, *text);
  if (!wrong.empty()) session.diagnostics.error({}, wrong);
}

int run_one_plan(const PlanFlags& options, Streams& streams) {
  Session session;
  Stopwatch watch(options.common.timing, streams.err);
  auto loaded = options.timeline.empty()
                    ? load_scenario(options.common, options.scenario, streams, session)
                    : load_one_length(options.common, options.scenario, "--timeline", streams, session);
  if (!loaded) return report_diagnostics(options.common, streams, session);
  watch.mark("read");
  planner::Plan plan = advised_plan(*loaded, options.scenario, session);
  watch.mark("plan");
  planner::check_goals(plan, *loaded, session.diagnostics);
  warn_of_kernel(*loaded, session.diagnostics);
  warn_of_rate(loaded->scenario, session.diagnostics);
  warn_of_assumed(plan, loaded->scenario, session.diagnostics);
  warn_of_reach(plan, session.diagnostics);
  if (plan.memory)
    for (const planner::Violation& told : planner::memory_told(*plan.memory, planner::FitVerdict::uncertain))
      session.diagnostics.warning({}, told.message);
  const std::vector<planner::Unwritten> unwritten = planner::unwritten_fields(
      *loaded, plan, dsl::catalog_names(session.catalog, "software"), reread(options.scenario, session));
  watch.mark("alternatives");
  write_timeline(options, loaded->scenario, session);
  const std::vector<VariedPlan> varied =
      varied_plans(options.vary, plan, loaded->scenario.cluster, options.scenario, session);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  const std::vector<planner::Assertion> assertions =
      planner::assertions_of(plan.step ? std::optional(planner::results_of(plan)) : std::nullopt, *loaded);
  Report report = plan_report(*loaded, plan, unwritten, planner::stage_uses(loaded->scenario));
  add_varied(varied, report);
  add_assertions(assertions, report);
  const int status = print(std::move(report), options.common, streams, "plan");
  watch.mark("print");
  if (status != kDone) return status;
  const int asserted = report_assertions(failed_assertions(assertions), options.common, streams);
  return plan.feasible ? asserted : int{kNotFeasible};
}

int run_plan(const PlanFlags& options, Streams& streams) {
  if (options.rank && options.timeline.empty()) return refuse_usage("plan", kRankAlone, streams);
  return with_picked(options, streams, run_one_plan);
}

constexpr Example kPlanExamples[] = {
    {"one layout of GPT-3 on 512 A100s", "trainplan plan example:gpt3-175b"},
    {"another layout of it", "trainplan plan example:gpt3-175b --set parallelism.tp=4 --set parallelism.pp=16"},
};

}  // namespace

Command plan_command() {
  return command_of<kPlanFlags, run_plan>(
      {.name = "plan",
       .summary = "one configuration: step time, breakdown, memory, throughput, cost",
       .argument = "SCENARIO",
       .examples = kPlanExamples,
       .pictures = true});
}

}  // namespace cli
