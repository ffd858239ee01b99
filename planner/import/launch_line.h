// The command of a script that launches a run.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "dsl/node.h"
#include "planner/shell/shell_text.h"

namespace planner {

/// Returns whether a plan depends on the flag.
using ReadsFlag = std::function<bool(const std::string& flag)>;

struct LaunchLine {
  ShellCommand command;                        // no words: no command has a flag
  std::map<std::string, ShellWord> variables;  // of the script
  std::map<std::string, ShellWord> files;      // that the script writes
  bool is_found() const { return !command.words.empty(); }
};

/// Returns how to give what stands as "$NAME" in a script: a hint. `otherwise`: of what no name can give, "$(command)".
std::string hint_of_open(const std::string& text, const char* otherwise = "put a value in its place");

/// Returns the command with most flags that are read, or else with most flags. Words inside of quotes are taken apart.
/// A condition that the script does not decide, and on which a flag depends that is read, is diagnosed.
LaunchLine launch_of(const ShellText& text, const ReadsFlag& reads, dsl::Diagnostics& diagnostics);

/// Likewise of a script; none where it is null.
LaunchLine read_launch(const dsl::Source* script, const ShellInput& input, const ReadsFlag& reads,
                       dsl::Diagnostics& diagnostics);

}  // namespace planner
