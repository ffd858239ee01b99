// What a script knows while it runs: variables, arguments and functions.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dsl/raw_text.h"
#include "planner/shell/syntax.h"

namespace planner::shell {

/// The sources that a script is read from, one behind the other: a byte's place is an offset in all of them.
class SourcePlaces {
 public:
  /// Returns the text of a source, which outlives this.
  PlacedText placed(const dsl::Source& source) { return placed(source.text, add(source)); }
  /// The place of the next source's first byte.
  uint32_t end() const { return end_; }
  dsl::Span span(uint32_t place, size_t size) const;

 private:
  uint32_t add(const dsl::Source& source);
  static PlacedText placed(const std::string& text, uint32_t from);
  struct PlacedSource {
    uint32_t from;
    dsl::LineMap lines;
  };
  std::deque<PlacedSource> sources_;
  uint32_t end_ = 0;
};

/// Values by key: "0" of a plain variable, "0", "1" ... of a list, any text of a map.
struct ShellVariable {
  std::vector<std::pair<std::string, PlacedText>> items;
  bool is_list = false;

  const PlacedText* find(const std::string& key) const;
  PlacedText& operator[](const std::string& key);
};

struct ScriptState {
  std::map<std::string, ShellVariable> variables;
  std::map<std::string, const CommandNode*> functions;
  std::vector<PlacedText> arguments;  // "$1", "$2" ...
  bool has_arguments = false;         // false: nobody gave them
  std::string script_name;            // "$0"

  /// Returns null if nothing sets the variable.
  const ShellVariable* find(const std::string& name) const;
  void set(const std::string& name, PlacedText value);
};

/// Returns the value of a formula whose "$NAME" are in place (Bash Reference Manual, 6.5 "Shell Arithmetic"); nullopt:
/// it has a name that nothing sets, or cannot be read.
std::optional<int64_t> shell_arithmetic(const std::string& formula, ScriptState& state);

}  // namespace planner::shell
