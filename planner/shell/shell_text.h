// What a script runs, and what it gets from outside.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dsl/source.h"

namespace planner {

/// One word after quotes and variables are undone, with the place where its text is written.
struct ShellWord {
  std::string text;
  dsl::Span span;
  bool is_open = false;    // a part is something that the script does not set, and stays as written: "$NAME"
  bool is_absent = false;  // nothing but that, outside quotes: no word at all where nobody sets it
};

struct ShellCommand {
  std::vector<ShellWord> words;
};

/// A condition that the script does not decide.
struct ShellQuestion {
  dsl::Span span;
  std::string what;  // it depends on: "$NAME", "-f FILE"
};

/// What runs where these questions have the unusual answer.
struct ShellPath {
  std::vector<ShellCommand> commands;          // in the order in which they run, without those that bash itself obeys
  std::map<std::string, ShellWord> variables;  // as set at the end, words of a list joined by blanks
  std::map<std::string, ShellWord> files;      // written from the lines behind "<<", by their paths
  std::vector<ShellQuestion> turned;
};

struct ShellText {
  ShellPath usual;  // conditions that are not decided are false, and commands succeed
  std::vector<ShellPath> others;
  bool is_cut = false;  // there are more paths than were followed
};

/// What a script gets from outside.
struct ShellInput {
  std::map<std::string, std::string> variables = {};
  std::optional<std::vector<std::string>> arguments = {};  // "$1" ...; nullopt: not known
  /// Returns the source of a file that the script names, null if it cannot be read.
  std::function<const dsl::Source*(const std::string& path)> open = {};
};

}  // namespace planner
