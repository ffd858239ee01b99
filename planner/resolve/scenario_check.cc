#include "planner/resolve/scenario_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "operator_models/calibration_check.h"
#include "planner/resolve/fitted_read.h"
#include "planner/scenario/field_setter.h"
#include "planner/scenario/fitted_name.h"
#include "planner/scenario/fixed_check.h"
#include "planner/scenario/lacks.h"
#include "planner/scenario/layer_check.h"
#include "planner/scenario/techniques.h"
#include "planner/schedule/schedule.h"

namespace planner {
namespace {

void check_model(const dsl::Record& record, const std::string& field, const std::string& kind, const std::string& model,
                 dsl::Diagnostics& diagnostics) {
  const bool single =
      std::ranges::find(operator_models::kCollectiveKinds, kind) != operator_models::kCollectiveKinds.end();
  const std::string family = single ? "collective" : kind;
  if (model.empty() || (operator_models::known_model(family, model) && !names_fitted(model))) return;
  std::vector<std::string> known;
  for (const operator_models::ModelRow& row : operator_models::registry())
    if (family == row.kind && !names_fitted(row.name)) known.emplace_back(row.name);
  known.emplace_back("pmnf(FILE)");
  diagnostics.error(record.find(field + "." + kind)->span,
                    fmt::format("no {} model is called '{}'; known: {}", kind, model, fmt::join(known, ", ")),
                    dsl::did_you_mean(model, known));
}

// What the scenario leaves open is what the calibration was made for.
void pick_models(const dsl::Record& record, Scenario& s, dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
  for (const auto& [kind, model] : s.operator_models) {
    if (!names_fitted(model)) check_model(record, "operator_models", kind, model, diagnostics);
    else read_fitted(kind, model, record.find("operator_models." + kind)->span, s.fitted, sources, diagnostics);
  }
  for (const auto& [kind, model] : s.calibration.models) {
    check_model(record, "cluster.gpu.calibration.models", kind, model, diagnostics);
    if (s.operator_models[kind].empty()) s.operator_models[kind] = model;
  }
  std::erase_if(s.operator_models, [](const auto& entry) { return entry.second.empty(); });
}

void check_kernel(const dsl::Record& record, const Scenario& s, dsl::Diagnostics& diagnostics) {
  if (s.software.attention == "unfused" || s.calibration.attention.contains(s.software.attention)) return;
  std::vector<std::string> known{"unfused"};
  for (const auto& [kernel, row] : s.calibration.attention) known.push_back(kernel);
  diagnostics.error(record.find("software.attention")->span,
                    fmt::format("no attention kernel '{}' is calibrated on {}; known: {}", s.software.attention,
                                s.cluster.gpu.name, fmt::join(known, ", ")),
                    dsl::did_you_mean(s.software.attention, known));
}

// A machine has one price. In a space the slots hold samples: null is null in all of it.
void check_prices(const dsl::Record& record, dsl::Diagnostics& diagnostics) {
  const dsl::Slot &rent = *record.find(kRent), &gpu = *record.find(kPurchase[0]), &node = *record.find(kPurchase[1]);
  if (!gpu.value.is_null() && !node.value.is_null())
    diagnostics.error(node.span, "a machine has one price: purchase.gpu_price or purchase.node_price, not both",
                      "leave one out, or write null for it");
  const dsl::Slot& bought = gpu.value.is_null() ? node : gpu;
  if (!rent.value.is_null() && !bought.value.is_null() && !is_of_catalogue(rent))
    diagnostics.error(bought.span, "a machine is rented (cluster.price) or bought (cluster.purchase), not both",
                      "leave one out, or write null for it");
}

// A catalogue's time between failures gives way to the scenario's own share of nodes.
void check_failures(const dsl::Record& record, dsl::Diagnostics& diagnostics) {
  const dsl::Slot &time = *record.find("cluster.mtbf"), &share = *record.find("cluster.node_failures");
  if (!share.value.is_null() && time.given && !is_of_catalogue(time))
    diagnostics.error(share.span, "failures have one figure: cluster.mtbf or cluster.node_failures, not both",
                      "leave one out, or write null for node_failures");
}

void check_schedule(const dsl::Record& record, const char* field, const std::string& name,
                    dsl::Diagnostics& diagnostics) {
  if (name.empty() || find_schedule(name)) return;
  std::vector<std::string> known;
  for (const ScheduleRow& row : schedules()) known.emplace_back(row.name);
  diagnostics.error(record.find(field)->span,
                    fmt::format("unknown pipeline schedule '{}'; known: {}", name, fmt::join(known, ", ")),
                    dsl::did_you_mean(name, known));
}

constexpr const char* kTechniques = "software.techniques";

// The word follows from `techniques` at the top, and cannot be used to request one. `computed`: fields that follow
// choices, for example those of a choice of techniques.
void check_techniques_word(const dsl::Record& record, const std::string& word, const std::set<std::string>& computed,
                           dsl::Diagnostics& diagnostics) {
  for (size_t from = 0; !word.empty() && word != "none" && from <= word.size();) {
    const size_t end = std::min(word.find('+', from), word.size());
    const Technique* technique = find_technique(std::string_view(word).substr(from, end - from));
    from = end + 1;
    if (technique &&
        (computed.contains(technique->field) || dsl::to_text(record.find(technique->field)->value) == technique->value))
      continue;
    return diagnostics.error(record.find(kTechniques)->span,
                             "software.techniques only says what `techniques` at the top of a scenario has set",
                             "write techniques: [near-memory-optimizer] at the top");
  }
}

/// Diagnoses what lacks, if anything does, at the field that asks.
void tell(const std::optional<Lack>& lack, const dsl::Record& record, dsl::Diagnostics& diagnostics) {
  if (lack) diagnostics.error(record.find(lack->field)->span, lack->message, lack->hint);
}

void check_update(const dsl::Record& record, const Scenario& s, dsl::Diagnostics& diagnostics) {
  tell(update_lack(s), record, diagnostics);
  if (const std::optional<Lack> lack = idle_muon(s))  // no mistake of a candidate whose optimizer is a choice
    diagnostics.warning(record.find(lack->field)->span, lack->message, lack->hint);
}

// The user is not blamed for fields that the user did not write.
void check_modules(const dsl::Record& record, const Scenario& s, dsl::Diagnostics& diagnostics) {
  if (const std::optional<Lack> lack = module_lack(s)) return tell(lack, record, diagnostics);
  for (const Lack& lack : idle_modules(s)) {
    const dsl::Slot& slot = *record.find(lack.field);
    if (slot.given && !is_of_catalogue(slot)) diagnostics.warning(slot.span, lack.message, lack.hint);
  }
}

std::set<std::string> open_paths(const dsl::Space& space) {
  std::set<std::string> paths;
  for (const dsl::OpenItem& item : space.items()) paths.insert(item.path);
  return paths;
}

// For a space: mistakes that no choice could fix.
void check_open_modules(const OpenScenario& open, dsl::Diagnostics& diagnostics) {
  const std::set<std::string> paths = open_paths(open.space);
  Scenario s = open.sample;
  if (paths.contains("software.selective")) s.software.selective = {Selective::core_attention};
  if (paths.contains("parallelism.offload.activations")) s.parallelism.offload.activations = 1;
  tell(module_lack(s), open.space.record(), diagnostics);
}

// The parts of a search's candidates are dealt before their layers have a price.
void check_open_balance(const OpenScenario& open, dsl::Diagnostics& diagnostics) {
  const char* field = "parallelism.balance";
  if (open.sample.parallelism.balance == Balance::software && !open_paths(open.space).contains(field)) return;
  diagnostics.error(open.space.record().find(field)->span,
                    "layers are dealt by cost for one layout, and this scenario leaves several open",
                    "parallelism.balance: software here, and cost where its best layout is planned");
}

void check_all(const dsl::Record& record, Scenario& s, dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
  pick_models(record, s, sources, diagnostics);
  check_kernel(record, s, diagnostics);
  check_schedule(record, "parallelism.schedule", s.parallelism.schedule, diagnostics);
  check_schedule(record, "software.schedule", s.software.schedule, diagnostics);
  check_prices(record, diagnostics);
  check_failures(record, diagnostics);
  operator_models::check_calibration(record, "cluster.gpu.calibration.", s.calibration, s.cluster.network, diagnostics);
  if (s.goal.minimize && s.goal.maximize)
    diagnostics.error(record.find("goal.maximize")->span, "a goal is minimized or maximized, not both",
                      "combine them: minimize: step * usd");
}

// Adapters are planned where they have a rank, whatever the task is called.
void check_task(const dsl::Record& record, const Scenario& s, dsl::Diagnostics& diagnostics) {
  const dsl::Slot& task = *record.find("job.task");
  const bool trains_all = s.job.task == Task::pretrain || s.job.task == Task::sft;
  if (!trains_all || s.job.lora.rank == 0 || !task.given || is_of_catalogue(task)) return;
  diagnostics.warning(
      task.span,
      fmt::format("job.task is {}, and job.lora.rank {} plans adapters", dsl::word_of(s.job.task), s.job.lora.rank),
      "lora.rank: 0 trains all weights; task: lora says what is planned");
}

// Names are checked one by one, in every combination of the others' first.
void check_names(OpenScenario& open, dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
  for (const dsl::OpenItem& item : open.space.items()) {
    if (!item.field || item.field->type != dsl::Type::name) continue;
    for (const dsl::Value& value : item.values) {
      Scenario s = open.sample;
      field_setter(s, item.path)(value);
      check_all(open.space.record(), s, sources, diagnostics);
      open.sample.fitted.merge(s.fitted);
    }
  }
}

// Of a choice each of its words.
void check_techniques_words(const OpenScenario& open, dsl::Diagnostics& diagnostics) {
  std::set<std::string> computed;
  std::vector<std::string> words;
  for (const dsl::OpenItem& item : open.space.items()) {
    if (!item.is_choice) computed.insert(item.path);
    if (item.path != kTechniques) continue;
    for (const dsl::Value& value : item.values) words.push_back(dsl::to_text(value));
  }
  if (words.empty()) words.push_back(open.sample.software.techniques);
  for (const std::string& word : words)
    if (!diagnostics.has_errors()) check_techniques_word(open.space.record(), word, computed, diagnostics);
}

}  // namespace

void check_scenario(const dsl::Record& record, Scenario& s, dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
  check_all(record, s, sources, diagnostics);
  tell(lack_of(s), record, diagnostics);  // in a space a machine may be of many: there it is a rule of layouts
  check_update(record, s, diagnostics);
  check_task(record, s, diagnostics);
  check_modules(record, s, diagnostics);
  check_techniques_word(record, s.software.techniques, {}, diagnostics);
  check_operators(record, {}, diagnostics);
  check_layers(record, s.model, {}, diagnostics);
}

void check_open_scenario(OpenScenario& open, dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
  check_all(open.space.record(), open.sample, sources, diagnostics);
  check_operators(open.space.record(), open_paths(open.space), diagnostics);
  check_layers(open.space.record(), open.sample.model, open_paths(open.space), diagnostics);
  check_open_modules(open, diagnostics);
  check_open_balance(open, diagnostics);
  if (!diagnostics.has_errors()) check_names(open, sources, diagnostics);
  if (!diagnostics.has_errors()) check_techniques_words(open, diagnostics);
}

}  // namespace planner
