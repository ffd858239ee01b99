#include "planner/export/habits.h"

#include <algorithm>

#include "dsl/write.h"
#include "planner/import/field_tree.h"
#include "planner/resolve/read.h"

namespace planner::exporting {
namespace {

std::optional<LoadedScenario> read(const std::string& text, dsl::Sources& sources) {
  const dsl::Catalog catalog{.builtin = builtin_catalog(), .directories = {}};
  dsl::Diagnostics diagnostics;  // of an accelerator without the software's kernels: nothing is known then
  return read_scenario(sources.emplace_back(dsl::Source{"habits", text, "/"}), {}, catalog, sources, diagnostics);
}

/// A scenario of defaults.
const dsl::Record& defaults() {
  static dsl::Sources sources;
  static const std::optional<LoadedScenario> kLoaded = read(
      "model: {layers: 1, hidden: 64, heads: 1, vocab: 64}\njob: {sequence: 64, global_batch: 1}\n"
      "cluster: {use: dgx-h100, gpus: 1}\n",
      sources);
  return kLoaded->record;
}

}  // namespace

ProgramHabits::ProgramHabits(const LoadedScenario& loaded, const char* software) {
  dsl::Node tree = dsl::resolved(loaded.record);
  constexpr std::string_view kSections[] = {"model", "job", "cluster", "parallelism"};
  std::erase_if(tree.entries,
                [&](const dsl::Entry& e) { return std::ranges::find(kSections, e.key) == std::end(kSections); });
  put_field(tree, "software.use", value_node(software, {}, "", true));
  under_software_ = read(dsl::write_yaml(tree), sources_);
}

bool ProgramHabits::holds(std::string_view field, const dsl::Slot& slot) const {
  const bool of_software = field.starts_with("software.");
  if (of_software && !under_software_) return slot.span.source && slot.span.source->name.starts_with("catalog:");
  const dsl::Slot* usual = (of_software ? under_software_->record : defaults()).find(field);
  return usual && dsl::shown_value(slot.value) == dsl::shown_value(usual->value);
}

}  // namespace planner::exporting
