// `trainplan import`: what other programs are configured with, as YAML of ours.
#pragma once

#include <vector>

#include "cli/args/command.h"

namespace cli {

/// "hf", "megatron", "deepspeed", "torchtitan": the first input of `import`.
std::vector<const char*> import_formats();

/// `import hf PATH` prints a catalogue model, `import megatron TEXT`, `import deepspeed FILE [LAUNCH...]` and
/// `import torchtitan FILE [LAUNCH...]` a scenario. What changes nothing in a plan is noted on `err`.
Command import_command();

}  // namespace cli
