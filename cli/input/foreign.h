// Files of other programs where a scenario is expected.
#pragma once

#include "cli/input/session.h"

namespace cli {

/// As read_input. A configuration of Hugging Face, a folder that holds one, and a launch script of Megatron-LM are
/// diagnosed with the commands that read them (null).
const dsl::Source* read_scenario_text(const std::string& path, Streams& streams, Session& session);

}  // namespace cli
