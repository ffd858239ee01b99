#include "planner/resolve/measured_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dsl/node_path.h"
#include "planner/plan/plan.h"
#include "planner/plan/uncertainty.h"

namespace planner {
namespace {

using dsl::Node;

constexpr const char* kOwn = "software.errors.own";
constexpr double kFar = 3;  // times the plan: no model of ours is that far off where the question is right

/// A run as it is written: its time, and the fields in which it differs.
struct WrittenRun {
  double seconds = 0;
  dsl::Span place;
  const Node* sets = nullptr;
};

const dsl::Schema& measured_schema() {
  static const dsl::Schema schema = [] {
    dsl::Schema rows;
    for (const char* step : {"measured.step", "measured.runs[].step"})
      rows.push_back({.path = step,
                      .type = dsl::Type::quantity,
                      .dim = dsl::kTime,
                      .optional = true,
                      .doc = "seconds of an optimizer step",
                      .least = 0});
    rows.push_back({.path = "measured.runs[].set.*",
                    .type = dsl::Type::name,
                    .optional = true,
                    .doc = "a field by its path, and its value in this run"});
    return rows;
  }();
  return schema;
}

/// The runs with a time; a mistake in one is diagnosed.
class RunReader {
 public:
  RunReader(const dsl::Record& record, dsl::Diagnostics& diagnostics) : record_(record), diagnostics_(diagnostics) {}

  std::vector<WrittenRun> read(const Node& measured) {
    add("measured.step", measured, nullptr);
    const Node* runs = node_at(measured, "runs");
    for (size_t i = 0; runs && i < runs->items.size(); ++i)
      add(fmt::format("measured.runs[{}].step", i), runs->items[i], node_at(runs->items[i], "set"));
    if (runs_.empty() && !diagnostics_.has_errors())
      diagnostics_.error(measured.span, "no run was measured here", "measured: {step: 8.0 s}");
    return std::move(runs_);
  }

 private:
  void add(const std::string& path, const Node& written, const Node* sets) {
    const dsl::Slot* slot = record_.find(path);
    if (!slot || slot->value.is_null()) {
      if (sets) diagnostics_.error(written.span, "a measured run needs its step time", "{step: 4.1 s, set: ...}");
      return;
    }
    const double seconds = std::get<dsl::Number>(slot->value.v).value;
    if (seconds > 0) runs_.push_back({seconds, slot->span, sets});
    else diagnostics_.error(slot->span, "a measured step takes more than no time");
  }

  const dsl::Record& record_;
  dsl::Diagnostics& diagnostics_;
  std::vector<WrittenRun> runs_;
};

std::vector<WrittenRun> written_runs(const Node& measured, dsl::Diagnostics& diagnostics) {
  Node alone(Node::Kind::map, measured.span);
  make_at(alone, kMeasured) = measured;
  const dsl::Record record = dsl::evaluate(alone, measured_schema(), {}, diagnostics);
  if (diagnostics.has_errors()) return {};
  return RunReader(record, diagnostics).read(measured);
}

/// The scenario of a run: the text without measurements, and with the fields that differ.
std::optional<Scenario> scenario_of(const WrittenRun& run, std::vector<dsl::Override> overrides, const ReadRun& read,
                                    dsl::Diagnostics& diagnostics) {
  overrides.push_back({fmt::format("{}=null", kMeasured)});
  if (run.sets)
    for (const dsl::Entry& e : run.sets->entries) overrides.push_back({e.key, e.key_span, &e.value});
  dsl::Diagnostics told;  // warnings where the scenario itself is read
  auto loaded = read(overrides, told);
  for (const dsl::Diagnostic& d : told.list) {
    if (d.severity != dsl::Severity::error) continue;
    return diagnostics.refuse(
        run.place, "the measured run is no scenario that can be planned: " + d.message,
        run.sets ? d.hint : "what is open is said of the run: measured: {runs: [{step: ..., set: {FIELD: VALUE}}]}");
  }
  return loaded ? std::optional(std::move(loaded->scenario)) : std::nullopt;
}

void warn_far(const WrittenRun& run, double planned, dsl::Diagnostics& diagnostics) {
  const double ratio = run.seconds / planned;
  if (ratio <= kFar && ratio >= 1 / kFar) return;
  diagnostics.warning(run.place,
                      fmt::format("the measured step is {:.3g} times the planned one of {:.3g} s", ratio, planned),
                      "a unit, job.global_batch or cluster.gpus may be another one than that of the run");
}

/// Plans the run as its operators say it.
bool add_run(const WrittenRun& run, const std::vector<dsl::Override>& overrides, const ReadRun& read, OwnRuns& own,
             dsl::Diagnostics& diagnostics) {
  std::optional<Scenario> s = scenario_of(run, overrides, read, diagnostics);
  if (!s) return false;
  s->software.errors = {};
  const Plan plan = make_plan(*s);
  if (!plan.step) {
    diagnostics.error(run.place, "the measured run cannot be planned: " + plan.violations.front().message,
                      "`trainplan plan` without `measured` says more");
    return false;
  }
  const double planned = plan.step->seconds;
  warn_far(run, planned, diagnostics);
  own.generation = s->cluster.gpu.generation, own.kind = job_kind(*s), own.width = job_width(*s);
  own.mean =
      (own.mean * static_cast<double>(own.runs) + std::log(run.seconds / planned)) / static_cast<double>(own.runs + 1);
  ++own.runs;
  widen(own, run_size(*s, planned));
  return true;
}

std::string text_of(const char* name, const ShownRange& range) {
  return fmt::format("{}: {{least: {:.17g}, most: {:.17g}}}", name, range.least, range.most);
}

}  // namespace

std::string own_set(const OwnRuns& own) {
  if (own.runs == 0) return {};
  return fmt::format("{}={{generation: {}, kind: {}, width: {}, runs: {}, mean: {:.17g}, {}, {}, {}, {}}}", kOwn,
                     own.generation, kJobKinds[static_cast<size_t>(own.kind)], own.width, own.runs, own.mean,
                     text_of("gpus", own.gpus), text_of("microbatch", own.microbatch), text_of("tp", own.tp),
                     text_of("step_seconds", own.step_seconds));
}

void take_measured(Node& tree, const ScenarioText& text, const ReadRun& read, dsl::Diagnostics& diagnostics) {
  const std::optional<Node> measured = take_at(tree, kMeasured);
  if (!measured || measured->kind == Node::Kind::null || measured->broken || node_at(tree, kOwn)) return;
  OwnRuns own;
  const std::vector<WrittenRun> runs = written_runs(*measured, diagnostics);
  for (const WrittenRun& run : runs)
    if (!add_run(run, text.overrides, read, own, diagnostics)) return;
  if (own.runs == 0) return;
  const std::string set = own_set(own);
  const dsl::Source& value = text.sources.emplace_back(dsl::Source{kMeasured, set.substr(set.find('=') + 1), ""});
  make_at(tree, kOwn) = dsl::parse_yaml(value, diagnostics);
}

}  // namespace planner
