#include "planner/studies/runs/predict.h"

#include <algorithm>

#include "dsl/write.h"
#include "planner/plan/goals.h"
#include "planner/plan/plan.h"
#include "planner/plan/uncertainty.h"
#include "planner/resolve/read.h"
#include "planner/resolve/with_layout.h"
#include "planner/search/search.h"

namespace planner {
namespace {

// A measured run that its table names as a file: the scenario as a user wrote it.

/// The choices of the best plan; empty if nothing is open, or nothing is feasible.
Sets best_choices(const OpenScenario& open) {
  const std::vector<std::string> names = choice_names(open.space);
  Sets chosen;
  if (names.empty()) return chosen;
  const SearchResult found = search(open, {.top = 1, .pareto = {}});
  if (found.plans.empty()) return chosen;
  for (size_t i = 0; i < names.size(); ++i)
    chosen.emplace_back(names[i], dsl::write_value(found.plans.front().choices[i]));
  return chosen;
}

/// Returns the mistake in a `--set` as text, or an empty text.
std::string override_mistake(const dsl::Diagnostics& diagnostics) {
  for (const dsl::Diagnostic& d : diagnostics.list)
    if (d.severity == dsl::Severity::error && d.span.source && d.span.source->name == "--set") return dsl::render(d);
  return {};
}

/// A scenario with choices, or whose layout is left to a search, gives its best plan: the layout was not published.
/// REQUIRES: `config.scenario` is its text.
RunScenario file_scenario(const RunConfig& config, const dsl::Catalog& catalog,
                          const std::vector<dsl::Override>& overrides) {
  RunScenario out{.layout = config.file};
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  const dsl::Source& source = sources.emplace_back(dsl::Source{config.file, config.scenario, ""});
  const ScenarioText text{source, overrides, catalog, sources};
  const std::optional<WithLayout> open = read_with_layout(text, Opens::said, diagnostics);
  if (open) {
    dsl::Diagnostics told;  // warnings, reported again
    auto loaded = read_scenario(source, open->overrides, catalog, sources, told,
                                {.pick_first = true, .chosen = best_choices(open->scenario)});
    if (loaded) {
      out.refusals = refusals_of_program(*loaded);
      out.scenario = std::move(loaded->scenario);
    } else out.skipped = "invalid scenario: " + told.first_error();
  } else out.skipped = "invalid scenario: " + diagnostics.first_error();
  out.bad_override = override_mistake(diagnostics);
  return out;
}

/// A precision that the accelerator lacks is independent of the layout.
std::string why_no_figures(const Plan& plan) {
  for (const Violation& v : plan.violations)
    if (v.rule == "precision") return "precision: " + v.message;
  return "infeasible layout: " + (plan.violations.empty() ? std::string("no plan") : plan.violations[0].message);
}

void fill(const Scenario& s, const Plan& plan, Prediction& out) {
  if (!plan.step || !plan.memory) {
    out.skipped = why_no_figures(plan);
    return;
  }
  out.step = *plan.step;
  out.unseen_step = plan.fitted.empty() ? unseen_step(s, *plan.step, plan.errors) : *plan.step;
  out.compared = published_outlook(s).runs;
  out.throughput = *plan.throughput;
  out.software = s.software.name;
  out.generation = s.cluster.gpu.generation;
  out.kind = kJobKinds[static_cast<size_t>(job_kind(s))];
  out.width = job_width(s);
  out.allocated_bytes = plan.memory->allocated_bytes;
  out.reserved_bytes = plan.memory->reserved_bytes;
  out.device_bytes = plan.memory->device.peak_bytes;
  out.fit_probability = plan.memory->probability();
  out.violations.insert(out.violations.end(), plan.violations.begin(), plan.violations.end());
}

/// What recipes set, and the defaults of what the row leaves to them.
void add_assumptions(const LoadedScenario& loaded, const std::vector<std::string>& left, std::vector<Assumption>& out) {
  for (const RecipeField& f : loaded.recipe) out.push_back({f.field, f.value});
  for (const std::string& path : left) {
    const bool set = std::ranges::any_of(loaded.recipe, [&](const RecipeField& f) { return f.field == path; });
    if (!set) out.push_back({path, dsl::to_text(loaded.record.find(path)->value)});
  }
}

/// What the row says of the layout, and what it leaves to recipes and defaults.
std::string layout_of(const dsl::Record& record, const dsl::Source& row, const std::vector<std::string>& left) {
  std::string out;
  for (const auto& [path, slot] : record.slots) {
    if (!path.starts_with("parallelism.")) continue;
    const bool said = slot.given && slot.span.source == &row;
    if (said || std::ranges::find(left, path) != left.end()) out += path + " " + dsl::to_text(slot.value) + "\n";
  }
  return out;
}

}  // namespace

RunScenario run_scenario(const RunConfig& config, const dsl::Catalog& catalog,
                         const std::vector<dsl::Override>& overrides) {
  if (!config.scenario.empty()) return file_scenario(config, catalog, overrides);
  RowScenario row = row_scenario(config, catalog);
  RunScenario out{.skipped = std::move(row.skipped), .assumptions = std::move(row.assumptions)};
  if (!out.skipped.empty()) return out;
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  const dsl::Source& source = sources.emplace_back(dsl::Source{"row", std::move(row.yaml), ""});
  auto loaded = read_scenario(source, overrides, catalog, sources, diagnostics);
  out.bad_override = override_mistake(diagnostics);
  if (loaded) {
    add_assumptions(*loaded, row.left, out.assumptions);
    out.layout = layout_of(loaded->record, source, row.left);
    out.refusals = refusals_of_program(*loaded);
    out.scenario = std::move(loaded->scenario);
  } else out.skipped = "invalid scenario: " + diagnostics.first_error();
  return out;
}

Prediction predict(const RunConfig& config, const dsl::Catalog& catalog, const std::vector<dsl::Override>& overrides) {
  RunScenario run = run_scenario(config, catalog, overrides);
  Prediction out{.skipped = std::move(run.skipped),
                 .layout = std::move(run.layout),
                 .violations = std::move(run.refusals),
                 .assumptions = std::move(run.assumptions),
                 .bad_override = std::move(run.bad_override)};
  if (run.scenario) fill(*run.scenario, make_plan(*run.scenario), out);
  return out;
}

}  // namespace planner
