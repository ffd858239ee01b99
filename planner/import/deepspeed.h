// Configurations of DeepSpeed, with the launch line of a Trainer beside them, as scenarios.
//
// Names and defaults of the keys: deepspeed.ai/docs/config-json, deepspeed/runtime/zero/config.py. What "auto" takes of
// the Trainer's flags: transformers, src/transformers/integrations/deepspeed.py.
#pragma once

#include <string>

#include "dsl/catalog.h"
#include "planner/import/imported_run.h"

namespace planner {

/// Returns the scenario of a run, whose `config` is the JSON, or a script that writes it ("cat > ds_config.json
/// <<'EOF'") and is then the launch line as well: software `deepspeed`, changed by what the files say. A value that
/// only a launch line says ("auto", the length of a sequence) is a line to fill in where none is given. A key that is
/// unknown, or whose effect has no counterpart in a plan, is a warning. Errors: what is no JSON, values that cannot be,
/// batch sizes that do not multiply, and keys that contradict the launch line. Texts that it makes are kept in
/// `sources`.
ImportedRun import_deepspeed(const RunFiles& files, dsl::Sources& sources, dsl::Diagnostics& diagnostics);

}  // namespace planner
