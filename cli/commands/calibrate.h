// `trainplan calibrate`: operator models fitted to, or held against, measurements.
#pragma once

#include "cli/args/command.h"

namespace cli {

Command calibrate_command();

}  // namespace cli
