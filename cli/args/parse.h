// Parses arguments into a command and its flags.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/args/command.h"

namespace cli {

/// A command with its arguments, or a text to print (--help, --version, a usage line).
struct Request {
  const Command* command = nullptr;
  Arguments arguments;
  std::string text;
  int status = kDone;  // without a command: kDone prints to `out`, kWrongUsage to `err`
};

/// `args` without the program's name.
Request parse(const std::vector<std::string>& args, std::span<const Command> commands);

/// "trainplan plan: MESSAGE; usage: trainplan plan SCENARIO [flags]" as a text to print.
Request wrong_usage(const Command& command, const std::string& message);

}  // namespace cli
