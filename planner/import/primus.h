// Imports experiments of Primus as scenarios.
//
// Their keys: github.com/AMD-AGI/Primus of August 2026 (AMD): primus/core/config, primus/configs; the keys of a module
// are the arguments of Megatron-LM, or those of torchtitan.
#pragma once

#include "planner/import/imported_run.h"

namespace planner {

/// Returns the scenario of an experiment; its software is `primus`, or one of torchtitan.
/// A module's keys are those of its model's preset, over them those of `overrides`. The preset is a file in `more`, one
/// next to the experiment, or in the sources of Primus above it. Without such a file, a model of the catalogue with
/// that name is taken. "${NAME:default}" takes NAME from outside. Errors: text that is not YAML, no module, a framework
/// that is not read, a preset that is neither a file nor in the catalogue, a variable without a value; and those of
/// Megatron-LM's arguments and torchtitan's keys.
ImportedRun import_primus(const RunFiles& files, dsl::Sources& sources, dsl::Diagnostics& diagnostics);

}  // namespace planner
