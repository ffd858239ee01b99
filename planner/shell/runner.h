// A script that runs in thought, along one path: the questions that it does not decide are answered from a list.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dsl/node.h"
#include "planner/shell/conditions.h"
#include "planner/shell/expansion.h"
#include "planner/shell/shell_text.h"
#include "planner/shell/state.h"

namespace planner::shell {

/// A question that came up, and its answer.
struct AskedQuestion {
  ShellQuestion question;
  bool is_turned = false;  // the answer is not the usual one
};

class ScriptRunner {
 public:
  /// `turned`: which questions, in the order in which they come up, have the unusual answer.
  ScriptRunner(const ShellInput& input, const std::vector<size_t>& turned, dsl::Diagnostics& diagnostics);

  void run(const dsl::Source& source);

  const std::vector<AskedQuestion>& asked() const { return asked_; }
  ShellPath path();
  /// The commands that ran.
  size_t steps() const { return steps_; }

 private:
  friend struct Builtins;
  static constexpr size_t kMostBytes = 1 << 22;            // of all words: a variable may hold itself many times over
  enum class ControlFlow { on, next, leave, back, exit };  // continue, break, return, exit

  // Trees of commands.
  TestVerdict run_all(const std::vector<CommandNode>& nodes);
  TestVerdict run_node(const CommandNode& node);
  TestVerdict run_kind(const CommandNode& node);
  TestVerdict run_branch(const CommandNode& node);
  TestVerdict run_match(const CommandNode& node);
  TestVerdict run_each(const CommandNode& node);
  TestVerdict run_counted(const CommandNode& node);
  TestVerdict run_repeat(const CommandNode& node);
  TestVerdict run_group(const CommandNode& node);
  TestVerdict run_test(const CommandNode& node);
  TestVerdict run_arithmetic(const CommandNode& node);
  TestVerdict run_simple(const CommandNode& node);
  /// Runs the body of a loop once; false: the loop ends.
  bool run_body(const std::vector<CommandNode>& body);
  bool decide(TestVerdict verdict, bool usual, const CommandNode& node);
  bool fits_any(const CommandClause& clause, const PlacedText& subject, const CommandNode& node);

  // Simple commands.
  TestVerdict run_words(std::vector<PlacedText> words);
  TestVerdict run_function(const CommandNode& body, const std::vector<PlacedText>& words);
  TestVerdict run_nested(const std::vector<PlacedText>& words);
  /// "source FILE ...".
  TestVerdict run_source(const std::vector<PlacedText>& words);
  /// Runs with other arguments and another "$0".
  TestVerdict run_with(std::vector<PlacedText> arguments, const std::string& name,
                       const std::function<TestVerdict()>& run);
  const dsl::Source* source_of(const PlacedText& path) const;
  TestVerdict run_text(PlacedText text);
  void write_file(const CommandNode& node);
  void keep_local(std::string_view word);
  TestVerdict record(const std::vector<PlacedText>& words);
  void assign(const CommandNode& node, TextRange word);
  void assign_list(const CommandNode& node, TextRange inside, ShellVariable& variable);
  void assign_text(const PlacedText& word);
  static bool sets_variables(const std::string& command);
  std::optional<PlacedText> capture(const PlacedText& commands);
  WordExpander expander(const CommandNode& node) { return {node.script->code, state_, capture_}; }

  /// Counts work: a script may not run without end, nor grow without end.
  bool has_budget(size_t bytes, const CommandNode& node);
  void fail(uint32_t place, const char* message);
  static uint32_t place_of(const CommandNode& node) { return node.script->code.at[node.all.from]; }
  static uint32_t place_of(const PlacedText& text) { return text.at.empty() ? 0 : text.at[0]; }
  const ParsedScript& parsed(PlacedText code);
  ShellWord word_of(const PlacedText& text) const;
  void read_headers(const std::string& text, uint32_t from);

  const ShellInput& input_;
  const std::vector<size_t>& turned_;
  dsl::Diagnostics& diagnostics_;
  CaptureOutput capture_;
  SourcePlaces places_;
  std::deque<ParsedScript> scripts_;
  ScriptState state_;
  std::vector<ShellCommand> commands_;
  std::map<std::string, ShellWord> files_;
  std::vector<AskedQuestion> asked_;
  std::vector<PlacedText> prefix_;                                         // words in front of "bash -c"
  std::optional<PlacedText> printed_;                                      // of "$(...)": what its commands print
  bool is_captured_ = false;                                               // commands print into that
  std::map<std::string, std::optional<ShellVariable>>* locals_ = nullptr;  // of the function: values from before
  std::string what_;                                                       // the last open answer depends on
  std::string directory_ = ".";
  ControlFlow flow_ = ControlFlow::on;
  size_t bytes_ = 0, steps_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

/// Runs a command that bash itself obeys, or whose output is known; nullopt: it is another command.
std::optional<TestVerdict> run_builtin(ScriptRunner& runner, const std::vector<PlacedText>& words);

}  // namespace planner::shell
