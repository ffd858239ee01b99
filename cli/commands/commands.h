// The commands: one row each. Adding one: a function here or in its own header, and a row in commands.cc.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/args/parse.h"

namespace cli {

std::span<const Command> commands();

/// Everything main does with its arguments (without the program's name); returns the exit status.
int run(const std::vector<std::string>& args, Streams& streams);

}  // namespace cli
