// Shell completions, generated from the rows of the commands: a script for each shell.
#pragma once

#include <span>
#include <string>

#include "cli/args/command.h"

namespace cli {

struct Shell {
  const char* name;
  std::string (*script)(std::span<const Command> commands);
};

/// Shells with a script. It contains commands, flags and the words of flags; names of the catalogue come from
/// `trainplan __complete COMMAND ""`.
std::span<const Shell> shells();

}  // namespace cli
