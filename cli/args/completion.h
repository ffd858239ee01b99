// What shells complete, from the rows of the commands: a script of each shell.
#pragma once

#include <span>
#include <string>

#include "cli/args/command.h"

namespace cli {

struct Shell {
  const char* name;
  std::string (*script)(std::span<const Command> commands);
};

/// Those that have a script. Commands, flags and the words of flags stand in it; names of the catalogue are asked for
/// with `trainplan __complete COMMAND ""`.
std::span<const Shell> shells();

}  // namespace cli
