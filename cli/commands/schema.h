// `trainplan schema`: the fields as a JSON Schema, for editors.
#pragma once

#include "cli/args/command.h"

namespace cli {

Command schema_command();

}  // namespace cli
