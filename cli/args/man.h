// Manual pages in roff, from the rows of the commands.
#pragma once

#include <span>
#include <string>

#include "cli/args/command.h"

namespace cli {

/// trainplan-COMMAND(1).
std::string man_page(const Command& command);
/// trainplan(1): the commands and the exit statuses.
std::string man_page(std::span<const Command> commands);

}  // namespace cli
