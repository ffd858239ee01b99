// The commands. Adding one: its file, which returns its row, and a line in commands.cc.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/args/command.h"

namespace cli {

std::span<const Command> commands();

/// Everything main does with its arguments (without the program's name); returns the exit status.
int run(const std::vector<std::string>& args, Streams& streams);

}  // namespace cli
