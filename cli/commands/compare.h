// `trainplan compare`: two scenarios, and what each of their differences is worth.
#pragma once

#include "cli/args/command.h"

namespace cli {

Command compare_command();

}  // namespace cli
