// One configuration file of a program and its launch line, on their way to a scenario.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "planner/import/megatron_flags.h"

namespace planner {

/// A key, by its dotted path, that is a field: a row for imports and exports, as a flag has.
using FieldKey = megatron::FieldFlag;

/// A key's name in an earlier release, or in a program that puts its keys as another's flags.
struct OldName {
  const char *old, *now;
};

/// A key that changes the model or the memory as no field does: an error, unless it is off or has its usual value.
struct RefusedKey {
  const char *key, *change;  // a phrase behind the key: "drops layers"
  const char* hint = "";
  const char* usual = "";
};

/// What a program does with a key, as far as plans go.
enum class KeyRole { unknown, section, read, refused, lost, idle };

/// The keys of a program, one row each. A section covers all that is in it.
struct KeyTable {
  std::span<const FieldKey> fields;
  std::span<const char* const> rules;       // that a rule reads
  std::span<const char* const> lost;        // whose effect no field has; each that is set is a warning
  std::span<const char* const> idle;        // that change nothing in a plan
  std::span<const char* const> rule_flags;  // of launchers and training scripts, that a rule reads
  std::span<const char* const> lost_flags;  // whose effect no field has
  std::span<const OldName> old_names;
  std::span<const RefusedKey> refused = {};
  const char* title = "";  // of a program that refuses keys which it does not know

  /// Returns the role of a key, or of the section around it that has a row.
  KeyRole role_of(std::string_view path) const;
  /// Returns null if the key has no row of its own.
  const RefusedKey* refused_of(std::string_view path) const;
  /// Returns the names that follow a prefix: "zero_optimization." gives its keys.
  std::vector<std::string> names_in(const std::string& prefix) const;

 private:
  KeyRole own_role_of(std::string_view path) const;
};

/// Returns whether a rule of the table reads a flag.
inline auto reads_flag_of(const KeyTable& table) {
  return [&table](const std::string& flag) {
    return std::ranges::any_of(table.rule_flags, [&](const char* row) { return flag == row; });
  };
}

class Settings {
 public:
  /// `tree` is the file's; `flags` are those of the launch line, read as Megatron-LM's are, and hold the scenario;
  /// `launched`: there is one.
  Settings(const dsl::Node& tree, const KeyTable& table, megatron::Flags& launch_flags, bool has_launch,
           dsl::Diagnostics& diagnostics)
      : flags(launch_flags), launched(has_launch), tree_(tree), table_(table), diagnostics_(diagnostics) {}

  /// Returns the value at a dotted path, or at its former name; null if it is absent, null or "auto".
  const dsl::Node* find(std::string_view path) const;
  /// "auto": the program puts its own value there.
  bool is_auto(std::string_view path) const;
  bool has(std::string_view path) const { return find(path) != nullptr; }
  std::string text(std::string_view path) const;
  /// Returns the path by which the file names the key.
  std::string written(std::string_view path) const;
  /// Returns the value as a whole number, or `otherwise` if absent; diagnosed if it is not a number.
  int64_t count(std::string_view path, int64_t otherwise);
  /// Returns the value as it is written, where it is a number of 0 or more; else `otherwise` (diagnosed).
  std::string figure(std::string_view path, const std::string& otherwise);
  /// Returns whether the value is true; diagnosed where it is neither true nor false.
  bool is_true(std::string_view path, bool otherwise = false);
  bool is_on(const std::string& flag) const { return flags.is_on(flag); }

  /// Puts a field that follows from the key. `why` is written into its comment if the key is absent.
  void put(const char* field, const std::string& value, std::string_view path, const std::string& why = "");
  void put_fields();
  void warn(std::string_view path, const std::string& message, const std::string& hint = "");
  void error(std::string_view path, const std::string& message, const std::string& hint = "");
  /// Reports refused keys, warns of each key and flag whose effect is lost or that is unknown, and returns the idle
  /// ones. A key that is given by two names is an error.
  std::vector<std::string> judge();

  megatron::Flags& flags;
  const bool launched;

 private:
  /// The field's value that a key gives; "": it gives none, which is reported.
  std::string value_of(const FieldKey& row);
  const dsl::Node* named(std::string_view path) const;
  const dsl::Node* at(std::string_view path) const;
  dsl::Span place_of(std::string_view path) const;
  void judge_key(const dsl::Entry& entry, const std::string& path, std::vector<std::string>& idle);
  void judge_keys(const dsl::Node& section, const std::string& prefix, std::vector<std::string>& idle);
  void judge_names();

  const dsl::Node& tree_;
  const KeyTable& table_;
  dsl::Diagnostics& diagnostics_;
};

}  // namespace planner
