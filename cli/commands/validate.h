// `trainplan validate`: measured runs, or figures of papers, against what is predicted.
#pragma once

#include "cli/args/command.h"

namespace cli {

Command validate_command();

}  // namespace cli
