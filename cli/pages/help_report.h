// trainplan.help/1: commands, their flags and examples, for programs.
#pragma once

#include <span>

#include "cli/args/command.h"
#include "cli/report/report.h"

namespace cli {

Report help_report(std::span<const Command> commands);

}  // namespace cli
