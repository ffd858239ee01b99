// The flags of one Megatron-LM call, and the scenario that is made of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dsl/node.h"
#include "planner/import/hybrid_pattern.h"
#include "planner/import/megatron_table.h"
#include "planner/shell/shell_text.h"

namespace planner::megatron {

/// Value of a field that the flags do not give.
inline constexpr const char* kFillIn = "FILL_IN";

class Flags {
 public:
  Flags(const ShellCommand& command, const dsl::Span& place, dsl::Diagnostics& diagnostics,
        const ProgramFlags& flag_table = megatron_lm());

  /// Flags that represent keys of a file: comments and messages name the keys. `keys`: by flag, as spelt in the file.
  void name_keys(std::map<std::string, std::string> keys);

  bool has(const std::string& flag) const { return given_.contains(flag); }
  /// Returns whether a switch is on that may have a value: `--bf16`, `--bf16 True`.
  bool is_on(const std::string& flag) const;
  /// Returns the flags in written order.
  const std::vector<std::string>& given() const { return order_; }
  /// Returns the flag's first value, or `otherwise`.
  std::string text(const std::string& flag, const std::string& otherwise = "") const;
  /// Returns the flag's first value as a number, or `otherwise`; diagnosed if it is not a number.
  int64_t count(const std::string& flag, int64_t otherwise);
  double number(const std::string& flag, double otherwise);
  /// Returns the flag's first value, a number as it is written, or `otherwise`.
  std::string figure(const std::string& flag, const std::string& otherwise);
  const std::vector<ShellWord>& values(const std::string& flag) const;

  /// Puts a field that follows from the flag (or, where it is not given, from its default).
  void put(const char* field, const std::string& value, const std::string& flag);
  void put(const char* field, int64_t value, const std::string& flag) { put(field, std::to_string(value), flag); }
  /// Puts a line that the user must fill in.
  void leave_open(const char* field, const std::string& why);
  /// Puts the fields of the flags that are given.
  void put_fields();
  /// Puts fields of the model.
  void put_model(dsl::Node model);
  const dsl::Node* field(const char* path) const;
  int64_t count_of(const char* path, int64_t otherwise) const;
  /// Returns whether the model is one of the catalogue, or a folder's: flags only change it.
  bool is_named() const { return field("model.use") != nullptr; }
  /// Returns the layers of the model; 0: not known here.
  int64_t layers() const;

  void warn(const std::string& flag, const std::string& message, const std::string& hint = "");
  void error(const std::string& flag, const std::string& message, const std::string& hint = "");
  /// Reports an error at `size` characters of the flag's first value, from `from` on.
  void error_in(const std::string& flag, size_t from, size_t size, const std::string& message,
                const std::string& hint = "");
  /// How the flag is written with a value: "`--num-layers 4`", or as the key behind it.
  std::string written(const std::string& flag, const std::string& value) const;
  dsl::Span place_of(const std::string& flag) const;
  /// How a comment names the flag: with its values, or as a default.
  std::string comment_of(const std::string& flag) const;
  /// Reports each refused flag, warns of each whose effect is lost or that is unknown, and returns the idle ones.
  std::vector<std::string> judge();

  const ProgramFlags& table;
  dsl::Node scenario;
  bool complete = true;
  bool is_deepspeed() const { return &table == &megatron_deepspeed(); }
  std::string script;    // the training script's name; "": none is named
  HybridPattern hybrid;  // without layers: the model is not a hybrid, or its pattern cannot be read

 private:
  /// The field's value that a flag gives; "": it gives none, which is reported.
  std::string value_of(const FieldFlag& row);

  struct FlagValues {
    dsl::Span span;
    std::vector<ShellWord> values;
  };
  /// Whether the flag has its usual value, or lacks the one that it needs (LostFlag).
  bool is_usual(const std::string& flag, const std::string& usual, const std::string& needs) const;
  void judge_known(const std::string& flag, std::vector<std::string>& idle);
  /// The text with keys in place of the flags that represent them.
  std::string in_their_words(const std::string& text) const;

  std::map<std::string, FlagValues> given_;
  std::vector<std::string> order_;
  std::vector<ShellWord> absent_;  // "$NAME" that may hold flags
  std::map<std::string, std::string> keys_;
  dsl::Span place_;
  dsl::Diagnostics& diagnostics_;
};

/// Returns a number of 0 or more, written as Python reads it ("220_000_000", "1e-5"), as the language has it.
std::optional<std::string> python_number(const std::string& text);

// Rules beyond the tables, one file each.
void model_rules(Flags& flags);
/// Returns whether letters describe the layers (megatron_hybrid.cc).
bool is_hybrid(const Flags& flags);
/// Reads the letters of a hybrid model's layers, or makes them of ratios.
void read_hybrid(Flags& flags);
/// Reads '|' in them; only of a hybrid model.
void hybrid_stages(Flags& flags);
void job_rules(Flags& flags);
void layout_rules(Flags& flags);
/// Reads --pipeline-model-parallel-layout (stage_list.cc).
void listed_stages(Flags& flags);
void software_rules(Flags& flags);

// Of Megatron-DeepSpeed (megatron_deepspeed.cc).
void deepspeed_activation(Flags& flags);
void deepspeed_experts(Flags& flags);
void deepspeed_length(Flags& flags);
/// `json`: DeepSpeed's configuration; null: it is not known.
void deepspeed_layout(Flags& flags, const dsl::Node* json, dsl::Diagnostics& diagnostics);
void deepspeed_software(Flags& flags);

}  // namespace planner::megatron
