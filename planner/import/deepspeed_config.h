// One configuration of DeepSpeed and its launch line, on their way to a scenario.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "planner/import/megatron_flags.h"

namespace planner::deepspeed {

class Config {
 public:
  /// `flags` are those of the launch line, read as Megatron-LM's are, and hold the scenario; `launched`: there is one.
  Config(const dsl::Node& json, megatron::Flags& launch_flags, bool has_launch, dsl::Diagnostics& diagnostics)
      : flags(launch_flags), launched(has_launch), json_(json), diagnostics_(diagnostics) {}

  /// Returns the value at a dotted path; null where it is absent, null or "auto".
  const dsl::Node* find(std::string_view path) const;
  /// "auto": the Trainer puts its own value there.
  bool is_auto(std::string_view path) const;
  bool has(std::string_view path) const { return find(path) != nullptr; }
  std::string text(std::string_view path) const;
  /// Returns the value as a whole number, or `otherwise` where there is none; diagnosed where it is no number.
  int64_t count(std::string_view path, int64_t otherwise);
  /// Returns the value as it is written, where it is a number of 0 or more; else `otherwise` (diagnosed).
  std::string figure(std::string_view path, const std::string& otherwise);
  /// Returns whether the value is true; diagnosed where it is neither true nor false.
  bool is_true(std::string_view path, bool otherwise = false);
  /// Returns whether a switch of the launch line is on: `--bf16`, `--bf16 True`.
  bool is_on(const std::string& flag) const;

  /// Puts a field that follows from the key; `why` stands in its comment for a key that is not given.
  void put(const char* field, const std::string& value, std::string_view path, const std::string& why = "");
  void put_fields();
  void warn(std::string_view path, const std::string& message, const std::string& hint = "");
  void error(std::string_view path, const std::string& message, const std::string& hint = "");
  /// Warns of each key and flag whose effect is lost or that is unknown; returns the idle ones.
  std::vector<std::string> judge();

  megatron::Flags& flags;
  const bool launched;

 private:
  const dsl::Node* at(std::string_view path) const;
  dsl::Span place_of(std::string_view path) const;
  void judge_keys(const dsl::Node& section, const std::string& prefix, std::vector<std::string>& idle);

  const dsl::Node& json_;
  dsl::Diagnostics& diagnostics_;
};

// The rules, one file each: what the tables cannot say. The first asks for degrees that the second puts.
void layout_rules(Config& c);
void batch_rules(Config& c);
void job_rules(Config& c);

}  // namespace planner::deepspeed
