// `trainplan show`: one catalogue entry.
#pragma once

#include "cli/args/command.h"

namespace cli {

Command show_command();

}  // namespace cli
