// Imports configurations of DeepSpeed, together with the launch line of a Trainer, as scenarios.
//
// Names and defaults of the keys: deepspeed.ai/docs/config-json, deepspeed/runtime/zero/config.py. The values that
// "auto" takes from the Trainer's flags: transformers, src/transformers/integrations/deepspeed.py.
#pragma once

#include <string>

#include "dsl/catalog.h"
#include "planner/import/imported_run.h"

namespace planner {

/// Returns the scenario of a run. `config` is the JSON, or a script that writes it ("cat > ds_config.json <<'EOF'") and
/// is then the launch line as well. The software is `deepspeed`, changed by the files.
/// A value that only a launch line gives ("auto", the sequence length) becomes a line to fill in if it is missing. A
/// key that is unknown, or whose effect has no counterpart in a plan, is a warning.
/// Errors: text that is not JSON, impossible values, batch sizes that do not multiply, and keys that contradict the
/// launch line. Texts made here are kept in `sources`.
ImportedRun import_deepspeed(const RunFiles& files, dsl::Sources& sources, dsl::Diagnostics& diagnostics);

}  // namespace planner
