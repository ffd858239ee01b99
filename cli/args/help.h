// Help texts of commands and flags, generated from their rows.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/args/command.h"

namespace cli {

/// "usage: trainplan plan SCENARIO [flags]", the tail of every message about wrong usage.
std::string usage(const Command& command);
/// The page of `trainplan help COMMAND`: its own flags, those of every command, examples.
std::string help(const Command& command);
/// The page of `trainplan --help`.
std::string overview(std::span<const Command> commands);
/// The flags of a command, for shells: "--format", "--columns", ...
std::vector<std::string> flag_names(const Command& command);

}  // namespace cli
