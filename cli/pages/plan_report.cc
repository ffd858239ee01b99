#include "cli/pages/plan_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "cli/pages/plan_basis.h"
#include "cli/pages/run_figures.h"
#include "cli/report/figures.h"
#include "cli/report/row_fields.h"
#include "planner/plan/results.h"
#include "planner/plan/uncertainty.h"

namespace cli {
namespace {

using planner::Plan;

/// A scalar of the resolved scenario by its field: what the field reads as a number is one in JSON.
Data scalar_data(const dsl::Node& node, const dsl::Slot* slot) {
  const std::string& text = node.text;
  // Without a field it is an entry of `let`, where texts have quotes of their own, or of a map in a field's place.
  bool numeric = !slot || slot->field->type == dsl::Type::count || slot->field->type == dsl::Type::number;
  if (slot && slot->field->type == dsl::Type::boolean && (text == "true" || text == "false")) return text == "true";
  double x = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (numeric && error == std::errc() && end == text.data() + text.size())
    return slot && slot->field->type == dsl::Type::number ? Data(x) : whole(x);
  return text;
}

/// `path` names the value as the record does: "job.sequence", "cluster.network[0].size".
/// Items of a list of plain values ("where", "tile_m") belong to the list's own field.
Data node_data(const dsl::Node& node, const std::string& path, const dsl::Record& record) {
  switch (node.kind) {
    case dsl::Node::Kind::null:
      return {};
    case dsl::Node::Kind::scalar:
      return scalar_data(node, record.find(path));
    case dsl::Node::Kind::list: {
      Data::List items;
      bool plain = record.find(path) != nullptr;
      for (size_t i = 0; i < node.items.size(); ++i)
        items.push_back(node_data(node.items[i], plain ? path : path + "[" + std::to_string(i) + "]", record));
      return items;
    }
    case dsl::Node::Kind::map:
      break;
  }
  Data::Object members;
  members.reserve(node.entries.size());
  for (const dsl::Entry& e : node.entries)
    members.push_back({e.key, node_data(e.value, path.empty() ? e.key : path + "." + e.key, record)});
  return members;
}

constexpr std::array kUsualColumns{"scenario.model.name",
                                   "parameters",
                                   "active_parameters",
                                   "scenario.cluster.name",
                                   "scenario.cluster.gpu.name",
                                   "scenario.cluster.gpus",
                                   "scenario.software.name",
                                   "scenario.job.sequence",
                                   "scenario.job.global_batch",
                                   "scenario.job.precision",
                                   "scenario.parallelism.tp",
                                   "scenario.parallelism.cp",
                                   "scenario.parallelism.ep",
                                   "scenario.parallelism.pp",
                                   "scenario.parallelism.dp",
                                   "scenario.parallelism.interleave",
                                   "scenario.parallelism.microbatch",
                                   "scenario.parallelism.sequence_parallel",
                                   "scenario.parallelism.zero",
                                   "scenario.parallelism.recompute",
                                   "feasible",
                                   "step.seconds",
                                   "step.low_seconds",
                                   "step.high_seconds",
                                   "breakdown.forward",
                                   "breakdown.backward",
                                   "breakdown.recompute",
                                   "breakdown.optimizer",
                                   "breakdown.serialized_comm",
                                   "breakdown.exposed_comm",
                                   "breakdown.bubble",
                                   "breakdown.overhead",
                                   "throughput.tokens_per_second",
                                   "throughput.tokens_per_second_per_gpu",
                                   "throughput.model_tflops_per_gpu",
                                   "throughput.mfu",
                                   "memory.peak_bytes",
                                   "memory.capacity_bytes",
                                   "memory.fit.probability",
                                   "cost.days",
                                   "cost.usd",
                                   "cost.usd_per_gpu_hour",
                                   "cost.goodput",
                                   "cost.kwh",
                                   "provenance.assumed"};

constexpr auto each_apart = [](auto&, auto&) { return false; };

Data memory(const planner::Memory& m) {
  const Data::Object fit{{"probability", m.probability()},
                         {"verdict", planner::kFitVerdicts[static_cast<size_t>(m.verdict())]}};
  return Data::Object{{"capacity_bytes", m.device.capacity_bytes},
                      {"peak_bytes", m.device.peak_bytes},
                      {"allocated_bytes", m.allocated_bytes},
                      {"reserved_bytes", m.reserved_bytes},
                      {"device_bytes", m.device.peak_bytes},
                      {"fit", fit},
                      {"host_capacity_bytes", m.host.capacity_bytes},
                      {"host_bytes", m.host.peak_bytes},
                      {"stages", memory_fields().list(stage_runs(m.stages, each_apart))}};
}

/// What the interval of the step rests on.
Data accuracy(const planner::Scenario& s) {
  const planner::ErrorOutlook outlook = planner::error_outlook(s);
  const planner::OwnRuns* own = planner::own_runs(s);
  return Data::Object{{"generation", s.cluster.gpu.generation},
                      {"kind", planner::kJobKinds[static_cast<size_t>(planner::job_kind(s))]},
                      {"width", planner::job_width(s)},
                      {"runs", planner::published_outlook(s).runs},
                      {"own_runs", own ? own->runs : 0},
                      {"shift", std::exp(outlook.mean) - 1},
                      {"relative_error", outlook.sd}};
}

/// Shares of the operators' time by their basis; null without figures.
Data provenance(const planner::Plan& plan) {
  if (!plan.step) return {};
  const ProvenanceShares shares = provenance_shares(plan);
  Data::Object out;
  for (const char* name : operator_models::kProvenanceNames) {
    const auto share = shares.find(name);
    out.push_back({name, share == shares.end() ? 0.0 : share->second});
  }
  return out;
}

Data::Object plan_document(const planner::LoadedScenario& loaded, const Plan& plan,
                           const std::vector<planner::Unwritten>& unwritten,
                           const std::vector<planner::StageUse>& stages) {
  using planner::Alternative, planner::RecipeField, planner::Unwritten, planner::Violation;
  const RowFields<Violation> violations{{"rule", &Violation::rule}, {"message", &Violation::message}};
  const RowFields<RecipeField> recipe{
      {"field", &RecipeField::field}, {"value", &RecipeField::value}, {"source", &RecipeField::source}};
  const RowFields<Alternative> alternatives{{"value", &Alternative::value},
                                            {"feasible", &Alternative::feasible},
                                            {"step_seconds", &Alternative::seconds},
                                            {"peak_bytes", &Alternative::peak_bytes}};
  const RowFields<Unwritten> fields{{"field", &Unwritten::field},
                                    {"value", &Unwritten::value},
                                    {"alternatives", [&](auto& f) { return alternatives.list(f.alternatives); }}};
  const planner::Model& model = loaded.scenario.model;
  // Numbers and booleans of the resolved scenario as such; quantities, words and names as strings. Saved as a file and
  // planned again it gives the same bytes, `unwritten` aside: it writes all.
  Data::Object out{{"scenario", node_data(dsl::resolved(loaded.record), "", loaded.record)},
                   {"parameters", whole(std::round(planner::parameters(model)))},
                   {"active_parameters", whole(std::round(planner::active_parameters(model)))},
                   {"feasible", plan.feasible},
                   {"violations", violations.list(plan.violations)},
                   {"step", plan.step ? figures_data(*plan.step) : Data()},
                   {"accuracy", accuracy(loaded.scenario)},
                   {"provenance", provenance(plan)},
                   {"breakdown", plan.breakdown ? figures_data(*plan.breakdown) : Data()},
                   {"communication", transfer_fields().list(plan.communication)},
                   {"throughput", plan.throughput ? figures_data(*plan.throughput) : Data()},
                   {"memory", plan.memory ? memory(*plan.memory) : Data()},
                   {"cost", plan.cost ? figures_data(*plan.cost) : Data()}};
  if (!loaded.recipe.empty()) out.push_back({"recipe", recipe.list(loaded.recipe)});
  if (!plan.fitted.empty()) out.push_back({"fitted", fitted_data(plan)});
  if (!unwritten.empty()) out.push_back({"unwritten", fields.list(unwritten)});
  if (!stages.empty()) out.push_back({"stages", stage_fields().list(stage_runs(stages, each_apart))});
  add_lengths(loaded.scenario.lengths, out);
  return out;
}

// ---- the picture

double length(const planner::StageUse& t) { return t.forward + t.backward + t.weight_gradient + t.wait; }

svg::Bar time_bar(const planner::StageUse& t) {
  const double all = length(t);
  return {.label = "",
          .parts = {t.forward / all, (t.backward + t.weight_gradient) / all, t.wait / all, 0, 0, 0, 0, 0},
          .note = figure(all, Unit::seconds)};
}

svg::Bar memory_bar(const planner::StageMemory& m, double capacity) {
  const double rest = m.temporary + m.fragmentation + m.device_overhead;
  return {.label = "",
          .parts = {0, 0, 0, m.weights / capacity, m.gradients / capacity, m.optimizer / capacity,
                    m.activations / capacity, rest / capacity},
          .note = figure(m.total(), Unit::memory)};
}

bool same(const svg::Bar& a, const svg::Bar& b) {
  return std::ranges::equal(a.parts, b.parts, [](double x, double y) { return std::abs(x - y) < 1e-9; });
}

/// Adds a bar for each run of neighbours with the same parts, the first of them below the heading.
void add(std::vector<svg::Bar>& bars, const std::vector<svg::Bar>& stages, const char* heading) {
  for (AlikeStages<svg::Bar>& run : stage_runs(stages, same)) {
    run.label = "stage " + run.name();
    if (run.first == 0) run.heading = heading;
    bars.push_back(std::move(run));
  }
}

}  // namespace

RowFields<planner::CommunicationRow> transfer_fields() {
  using Row = planner::CommunicationRow;
  return {{"name", &Row::name, Unit::text, ""},
          {"kind", &Row::kind, Unit::text, "", 3},
          {"ranks", &Row::ranks, Unit::count, "GPUs"},
          {"tiers", &Row::tiers, Unit::text, "", 1},
          {"bytes", &Row::bytes, Unit::bytes, "per call"},
          {"count", whole_of(&Row::count), Unit::count, "calls"},
          {"seconds", &Row::seconds, Unit::seconds, "time", 2},
          {"hidden_seconds", &Row::hidden_seconds, Unit::seconds, "hidden"},
          {"exposed_seconds", &Row::exposed_seconds, Unit::seconds, "exposed"}};
}

RowFields<AlikeStages<planner::StageUse>> stage_fields() {
  using Run = AlikeStages<planner::StageUse>;
  return {RowField<Run>{"stage", &Run::first, Unit::text, ""}.shown_as(&Run::name),
          {"forward_seconds", &Run::forward, Unit::seconds, "", 0, "forward"},
          {"backward_seconds", &Run::backward, Unit::seconds, "", 0, "backward"},
          {"weight_gradient_seconds", &Run::weight_gradient, Unit::seconds, "", 0, "weight gradients"},
          {"wait_seconds", &Run::wait, Unit::seconds, "", 0, "wait"}};
}

RowFields<AlikeStages<planner::StageMemory>> memory_fields() {
  using Run = AlikeStages<planner::StageMemory>;
  return {RowField<Run>{"stage", &Run::stage, Unit::text, ""}.shown_as(&Run::name),
          {"weights", &Run::weights, Unit::gib, ""},
          {"gradients", &Run::gradients, Unit::gib, ""},
          {"optimizer", &Run::optimizer, Unit::gib, ""},
          {"activations", &Run::activations, Unit::gib, ""},
          {"temporary", &Run::temporary, Unit::gib, "temp."},
          {"fragmentation", &Run::fragmentation, Unit::gib, "fragm."},
          {"device_overhead", &Run::device_overhead, Unit::gib, "device"},
          {"total", &Run::total, Unit::gib, ""},
          {"host", &Run::host}};
}

Report plan_report(const planner::LoadedScenario& loaded, const Plan& plan,
                   const std::vector<planner::Unwritten>& unwritten, const std::vector<planner::StageUse>& stages) {
  Report report{.format = "trainplan.plan/1",
                .document = {},
                .usual_columns = {kUsualColumns.begin(), kUsualColumns.end()},
                .text = plan_text(loaded, plan, stages),
                .basis = plan_basis(loaded, plan, unwritten)};
  if (!plan.violations.empty())
    for (const char* column : {"violations.0.rule", "violations.0.message"}) report.usual_columns.emplace_back(column);
  if (planner::works(plan) && plan.step) {
    const planner::Results results = planner::results_of(plan);
    report.title = fmt::format("{}: {}{}", scenario_title(loaded.scenario), run_text(results),
                               miss_text(planner::goal_miss(loaded.scenario.goal, *plan.cost)));
    report.key_figures = run_key_figures(results);
  }
  report.picture = [&loaded, &plan, stages] { return plan_bars(loaded, plan, stages); };
  report.complete = [&loaded, &plan, unwritten, stages](Report& r) {
    r.document = plan_document(loaded, plan, unwritten, stages);
  };
  return report;
}

svg::StackedBars plan_bars(const planner::LoadedScenario& loaded, const planner::Plan& plan,
                           const std::vector<planner::StageUse>& times) {
  svg::StackedBars chart{.title = scenario_title(loaded.scenario),
                         .subtitle = "how each stage spends its step, and what fills the memory of its GPUs",
                         .axis = "share",
                         .percent = true,
                         .series = {"forward", "backward", "wait", "weights", "gradients", "optimizer", "activations",
                                    "temporary and reserved"},
                         .nothing = "the layout does not work"};
  std::vector<svg::Bar> stages;
  for (const planner::StageUse& t : times)
    if (length(t) > 0) stages.push_back(time_bar(t));
  add(chart.bars, stages, "time, of the pipeline's");
  stages.clear();
  if (plan.memory)
    for (const planner::StageMemory& m : plan.memory->stages)
      stages.push_back(memory_bar(m, plan.memory->device.capacity_bytes));
  add(chart.bars, stages, "memory, of what there is");
  return chart;
}

}  // namespace cli
