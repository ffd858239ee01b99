// A plan as the settings of the program that will run it.
//
//     LoadedScenario -> Export (settings by name) -> text: flags, JSON, TOML or YAML
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/export/setting.h"
#include "planner/scenario/scenario.h"

namespace planner {

struct Export {
  std::vector<Setting> settings;  // in the order of the target's table
  std::string text;  // the input of the target, a file or a shell script, behind notes for imports (noted_fields.h)
};

/// A program that plans are exported to.
struct ExportTarget {
  const char *name, *summary;
};
std::vector<ExportTarget> export_targets();

/// Returns the setting of each target whose name is the field's alone: "megatron --tensor-model-parallel-size". A field
/// that several settings express, or none, has no such name there.
std::vector<std::string> settings_of_field(std::string_view field);

/// Exports a plan. Every field of model, job, parallelism and software becomes a setting of the target, is the target's
/// behaviour anyway, or is refused at its place. Returns nullopt if any was refused, or if `target` is not among the
/// names above. REQUIRES: a layout without violations.
std::optional<Export> export_plan(const LoadedScenario& loaded, std::string_view target, dsl::Diagnostics& diagnostics);

}  // namespace planner
