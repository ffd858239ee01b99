// The commands of a shell script as a tree (Bash Reference Manual, 3.2 "Shell Commands"). Words stay as they are
// written: they are expanded when a command runs.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "planner/shell/placed_text.h"

namespace planner::shell {

struct CommandNode;
struct ParsedScript;

/// "if CONDITION; then BODY", "PATTERNS) BODY", or the body of a loop, a group or a function.
struct CommandClause {
  std::vector<TextRange> patterns;
  std::vector<CommandNode> condition, body;
};

/// "<<WORD": lines that a command reads.
struct HereText {
  TextRange lines;
  bool is_quoted = false;  // they stay as they are written
};

struct CommandNode {
  enum class CommandKind { simple, test, arithmetic, group, branch, match, each, repeat, function };
  /// How it follows the command before it: ";", "&&", "||", "|".
  enum class Link { always, if_done, if_failed, piped };

  CommandKind kind = CommandKind::simple;
  Link link = Link::always;
  bool is_negated = false;              // "!"
  bool is_subshell = false;             // of a group: "(...)"
  bool is_until = false;                // of a repeat
  bool takes_arguments = false;         // of a loop without "in": over the arguments of the script
  TextRange all = {};                   // the whole command
  std::string name = {};                // of a function, or of the variable of a loop
  std::vector<TextRange> words = {};    // of a simple command, a list of a loop, the subject of a case, a test's inside
  std::vector<TextRange> targets = {};  // "> FILE"
  std::vector<CommandClause> clauses = {};
  const ParsedScript* script = nullptr;  // where the ranges lie
};

/// A text and its commands; the nodes point to it.
struct ParsedScript {
  PlacedText code;
  std::vector<CommandNode> commands;
  std::map<size_t, HereText> here;  // by the place of their "<<"
};

/// Reports a mistake at a byte of the text.
using ReportMistake = std::function<void(size_t offset, const char* message)>;

/// Parses the commands of `script.code`. After a mistake: those before it.
void parse_commands(ParsedScript& script, const ReportMistake& report);

/// Returns the end of the word at `at`: quotes, "$(...)", "${...}" and `...` belong to it, and so does a list behind
/// "NAME=". `stops`: the characters outside quotes that end it, besides blanks. npos: something is never closed, which
/// is reported.
size_t word_end(std::string_view text, size_t at, std::string_view stops, const ReportMistake& report);
/// Returns the end of "$...", "`...`" at `at`.
size_t expansion_end(std::string_view text, size_t at, const ReportMistake& report);
/// Returns the end of the quoted text at `at` (' or "), behind its closing quote.
size_t quote_end(std::string_view text, size_t at, const ReportMistake& report);
/// Returns the length of "NAME" or "NAME[KEY]" in front of '=' or "+="; 0: the word sets no variable.
size_t assigned_name(std::string_view word);
/// Returns the length of a variable's name.
size_t name_length(std::string_view text);

}  // namespace planner::shell
