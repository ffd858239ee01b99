// Job configurations of torchtitan, with the launch line beside them, as scenarios.
//
// Names and defaults of the keys: github.com/pytorch/torchtitan, torchtitan/config/job_config.py; what they were called
// before: torchtitan/config_manager.py.
#pragma once

#include "planner/import/imported_run.h"

namespace planner {

/// Returns the scenario of a run, whose `config` is the TOML behind `--job.config_file`: software `torchtitan`, or a
/// variant that compiles. What a launch line says ("--training.seq_len 8192") goes over what the file says, and a key
/// that neither says has torchtitan's default; its line says so. A key that is unknown, or whose effect has no
/// counterpart in a plan, is a warning. Errors: what is no TOML, values that cannot be, and degrees and batch sizes
/// that do not multiply. A model that the catalogue lacks, and a number of GPUs that nobody says, are lines to fill in.
ImportedRun import_torchtitan(const RunFiles& files, dsl::Diagnostics& diagnostics);

}  // namespace planner
