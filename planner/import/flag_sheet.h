// Flags that stand for the keys of files.
#pragma once

#include <map>
#include <string>

#include "dsl/node.h"
#include "planner/shell/shell_text.h"

namespace planner {

/// Flags in the order in which they count: of one that is given twice the last counts, as with argparse.
struct FlagSheet {
  ShellCommand command;
  std::map<std::string, std::string> keys;  // by flag: how its file names it

  /// Puts a flag at the place of a key, its values at theirs: one word for each item of a list. Null: nothing.
  void put(const std::string& flag, const dsl::Entry& e);
  /// Puts the value that a program has where no file gives one.
  void put_default(const std::string& flag, const std::string& value, const char* title, const dsl::Span& place);
  /// Puts the words of a launch line.
  void put_line(const ShellCommand& line);
};

/// Returns the key as a flag: "--" in front of it, unless it has that.
std::string flag_of_key(const std::string& key);

}  // namespace planner
