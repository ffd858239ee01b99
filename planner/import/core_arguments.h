// Configurations of programs over Megatron-Core as arguments of Megatron-LM. Most of their keys are named as those are,
// since both come from TransformerConfig and its neighbours; a table has the others.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "dsl/node.h"
#include "planner/import/imported_run.h"

namespace planner::megatron {

/// A key of a program, and the argument of Megatron-LM that it is. A key with a dot is a whole path, others its end.
struct CoreKey {
  const char *key, *argument;
};

/// A program over Megatron-Core.
struct CoreProgram {
  const char *title, *command, *software;  // `command`: the word of `import`
  std::span<const CoreKey> keys;
  std::span<const char* const> idle;  // keys that no plan depends on; a trailing '*' matches any ending
};

class CoreArguments {
 public:
  CoreArguments(const CoreProgram& program, dsl::Diagnostics& diagnostics)
      : program_(program), diagnostics_(diagnostics) {}

  /// Adds the value of a key, as a program names it; a later one replaces it. An unknown key is a warning if `strict`.
  void add(const std::string& path, const dsl::Entry& e, bool strict);
  /// Adds an argument that follows from something else, at its place; does not replace.
  void imply(const std::string& argument, const std::string& value, const dsl::Span& place, const std::string& from);
  /// Returns null if the argument is not given, or null.
  const dsl::Node* find(const std::string& argument) const;
  std::string text(const std::string& argument) const;
  bool is_on(const std::string& argument) const { return text(argument) == "true"; }
  bool empty() const { return arguments_.empty(); }

  /// Returns the scenario. `line`: null, or a launch line for the number of GPUs.
  ImportedRun run(const ShellCommand* line, const RunFiles& files, const dsl::Span& place);

 private:
  void note(const std::string& path, const dsl::Entry& e);
  void imply_rules(bool is_named);
  void put_habits(dsl::Node& scenario) const;
  void put_fields(dsl::Node& scenario, bool is_named) const;
  void put(dsl::Node& scenario, const char* field, const std::string& value, const std::string& argument) const;

  const CoreProgram& program_;
  dsl::Diagnostics& diagnostics_;
  std::map<std::string, dsl::Entry> arguments_;  // by argument
  std::map<std::string, std::string> written_;   // by argument: the path in the file
  std::vector<std::string> order_, idle_;
  std::set<std::pair<int, int>> noted_;  // line and column of idle keys
};

/// Returns whether a row is the key, or its beginning with a '*' behind.
bool matches_any(std::string_view key, std::span<const char* const> rows);
/// Returns the value of a word "a.b=VALUE" of a command line, as Python reads it. REQUIRES: it has '='.
dsl::Node override_value(const ShellWord& word);
/// Puts adapters, whose keys are below a path: their rank, and the modules that have them. Null modules: all.
void put_adapters(dsl::Node& scenario, const dsl::Node& rank, const dsl::Node* modules, const std::string& path);

}  // namespace planner::megatron
