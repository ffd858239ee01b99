// The words of a command line or of a shell script, as far as launch scripts go.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dsl/node.h"

namespace planner {

/// One word after quotes and variables are undone, with the place where its text is written.
struct ShellWord {
  std::string text;
  dsl::Span span;
};

struct ShellCommand {
  std::vector<ShellWord> words;
};

struct ShellText {
  std::vector<ShellCommand> commands;          // in written order, without those that only set variables
  std::map<std::string, ShellWord> variables;  // as set at the end, words of a list joined by blanks
};

/// Reads quotes, backslashes, comments, NAME=value (also before a command, and after `export`), NAME=(words), $NAME,
/// ${NAME}, ${NAME:-value}, ${NAME[@]}, $((arithmetic)). A variable that is not set here stays as written: "$NAME".
/// Conditions and loops are read as if every command ran. An open quote or bracket is diagnosed.
ShellText read_shell(const dsl::Source& source, dsl::Diagnostics& diagnostics);

}  // namespace planner
