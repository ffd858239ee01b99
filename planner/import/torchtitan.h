// Imports job configurations of torchtitan, together with their launch line, as scenarios.
//
// Names and defaults of the keys: github.com/pytorch/torchtitan, torchtitan/config/job_config.py; what they were called
// before: torchtitan/config_manager.py.
#pragma once

#include "dsl/catalog.h"
#include "planner/import/imported_run.h"

namespace planner {

/// Returns the scenario of a run. `config` is the TOML behind `--job.config_file`. Of the newest release it is a launch
/// line with `--module` and `--config`, or a Python file with the function; the other one is `launch`, or among `more`.
/// The software is `torchtitan`, or a variant that compiles. The launch line ("--training.seq_len 8192") overrides the
/// file. A key in neither has torchtitan's default, and its line says so. A key that is unknown, or whose effect has no
/// counterpart in a plan, is a warning. Errors: text that is not TOML, impossible values, and degrees and batch sizes
/// that do not multiply. A model that the catalogue lacks and an unknown number of GPUs become lines to fill in.
ImportedRun import_torchtitan(const RunFiles& files, dsl::Sources& sources, dsl::Diagnostics& diagnostics);
/// Whether a text is a launch line or a Python file of the newest release.
bool reads_as_registry(const dsl::Source& source);
/// Returns the scenario of keys that another program's file gives.
ImportedRun import_torchtitan_keys(dsl::Node keys, const RunFiles& files, dsl::Diagnostics& diagnostics);

}  // namespace planner
