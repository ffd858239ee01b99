// The tables behind `export`: for each target one row per field of a scenario, and the function that writes it.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "planner/export/conditions.h"
#include "planner/export/habits.h"
#include "planner/export/setting.h"
#include "planner/import/megatron_table.h"

namespace planner::exporting {

class Writer;

/// How to export one field, or all fields with a prefix ("model.*"; a row for a single field comes before). The first
/// case that applies counts:
/// - The field changes nothing in this plan (relevance.h): nothing is written.
/// - The rule of the field `with` writes it; where there is `when` as well, it does if that is false.
/// - `when` is false: nothing is written, but what the target's software does not do anyway is refused.
/// - `rule` writes it.
/// - The value is `on`: the switch `name`. Another truth value: nothing is written.
/// - The value is `only`, or where no row says one, what the target's software does anyway: nothing is written.
/// - `name` without `on`: the setting `name` with the value, or with the program's word for it, if `words` has one.
/// - Otherwise it is refused, and so is a field without a row.
struct ExportRow {
  const char* field;
  const char* name = nullptr;
  const char* on = nullptr;
  const char* only = nullptr;
  std::span<const megatron::ProgramWord> words = {};
  bool (*when)(const Scenario&) = nullptr;
  void (*rule)(Writer&) = nullptr;
  const char* with = nullptr;  // another field
  const char* hint = "";       // of a refusal
  bool always = false;         // the rule is asked where the field changes nothing, too
};

/// A target: the software that runs it, as the catalogue has it, its rows, and how its settings are written down.
struct Target {
  const char *name, *title, *summary, *software;
  std::span<const ExportRow> rows;
  std::string (*render)(const std::vector<Setting>&);
  bool (*when)(const Scenario&) = nullptr;  // of two targets of one name: whether this is the scenario's
};
std::span<const Target> targets();

/// Returns whether `pattern` is the field, or its beginning with a '*' behind.
bool matches(std::string_view field, std::string_view pattern);
/// Returns the first row that matches the field; null if there is none.
const ExportRow* find_row(std::span<const ExportRow> rows, std::string_view field);

/// Puts the settings of one field after the other, or refuses it.
class Writer {
 public:
  Writer(const LoadedScenario& loaded, const Target& target, const ProgramHabits& habits,
         dsl::Diagnostics& diagnostics);

  const Scenario& s;
  std::vector<Setting> settings;

  /// Begins with the field and follows its row.
  void write(const ExportRow& row, const dsl::Slot& slot, const std::string& field);
  /// Writes every setting of the scenario: layout, job, model, software, each in the order of the schema.
  void write_all();
  /// Returns lines of comments with the measured figures of the software that are not the target's: imports read them.
  std::string notes() const;

  void put(const std::string& name, const std::string& value, bool quoted = false);
  void put(const std::string& name, int64_t value) { put(name, std::to_string(value)); }
  void put_word(const std::string& name, const std::string& value) { put(name, value, true); }
  /// Puts a flag without a value, or a key that is true.
  void put_switch(const std::string& name) { put(name, name.starts_with("--") ? "" : "true"); }
  /// Returns the value of the field as the language writes it.
  std::string value() const;
  const dsl::Slot& slot() const { return *slot_; }
  /// Returns whether the target does what the field says, whatever is set.
  bool is_habit() const { return habits_.holds(field_, *slot_); }
  const std::string& field() const { return field_; }
  /// Diagnoses an error at the field's place: "Megatron-LM cannot express 'x: y'", ": why" behind it if given.
  void refuse(const std::string& why = "", const std::string& hint = "");
  /// Likewise at another field. REQUIRES: the scenario has it.
  void refuse_at(const std::string& field, const std::string& why, const std::string& hint = "");

 private:
  struct ProfileRefusal {
    dsl::Span span;
    std::string setting, message, hint;
  };
  /// What the scenario's software does, and nothing in the scenario's own text says: many of them have one cause.
  void tell_of_software();

  std::vector<ProfileRefusal> of_software_;
  const dsl::Record& record_;
  const Target& target_;
  const ProgramHabits& habits_;
  dsl::Diagnostics& diagnostics_;
  const dsl::Slot* slot_ = nullptr;
  std::string field_;
};

using ExportWord = megatron::ProgramWord;
/// Puts the program's word for the field's value; refuses a value without one. An empty word: nothing to set.
void put_word_of(Writer& w, const std::string& name, std::span<const ExportWord> words);
/// Returns that word; "" of a value that is refused.
std::string word_of(Writer& w, std::span<const ExportWord> words);

// Rules that several targets share.
/// Refuses a list of operators once, at its first.
void refuse_operators(Writer& w);
/// Of a model with a pattern of layers.
void refuse_pattern(Writer& w);
/// Refuses shards of experts that are not part of the other weights' shards.
void keep_expert_shards(Writer& w);
/// Refuses several documents in a sequence.
void refuse_packing(Writer& w);
/// Returns the largest multiple to pad the vocabulary to that leaves it as it is; 0: refused, no multiple of tp.
int64_t vocab_multiple(Writer& w);
/// Puts the gradients of one bucket (software.bucket_bytes), where there are buckets; refuses parts of a gradient.
void put_bucket(Writer& w, const std::string& name);
/// Puts --vocab-size, with that multiple.
void put_vocab(Writer& w);
/// Returns whether the launcher starts as many processes as there are GPUs; refused where a node would be part full.
bool fills_nodes(Writer& w);

// Models of the hub (hub_model.cc).
/// The source of a model for transformers: its name on the hub (empty if it has none), or the folder of a config.json.
struct HubModel {
  std::string name;
  bool is_folder;
};
/// REQUIRES: the field is model.name.
HubModel hub_model(const Writer& w);
/// Returns whether the scenario itself says the field, not the entry of the catalogue or the config.json that it uses.
bool is_own_value(const Writer& w);
/// Puts one of the two settings; refuses a model that has neither name nor folder.
void put_hub_model(Writer& w, const std::string& by_name, const std::string& by_folder);
/// Refuses a scenario's changes of a model: its config.json does not contain them.
void keep_shape(Writer& w);

// Megatron-Core's configurations (core.cc).
std::vector<ExportRow> core_layout_rows(const char* section);  // of the degrees
std::span<const ExportRow> core_rows();                        // of the layout, the job and the software
std::span<const ExportRow> core_shape_rows();                  // of the model
/// Returns rows whose settings are in `model`, `ddp` and `optimizer` of a Python script (core_script.cc).
std::span<const ExportRow> core_script_rows();
/// Returns the rows, and behind them one for each field that a flag or key of imports is. A row that only says `when`
/// is that of the flag under a condition.
std::vector<ExportRow> with_flags(std::span<const ExportRow> rows, std::span<const megatron::FieldFlag> flags);
inline std::vector<ExportRow> with_flags(std::span<const ExportRow> rows, const megatron::ProgramFlags& flags) {
  return with_flags(rows, flags.fields);
}
/// Returns a row for each of the fields, by its flag in the program or in the one that it is a fork of.
std::vector<ExportRow> rows_of_flags(std::span<const char* const> fields, const megatron::ProgramFlags& flags);
/// Returns rows of fields whose flags of Megatron-LM are keys of TransformerConfig, too, in a section.
/// REQUIRES: a flag has the field.
std::vector<ExportRow> rows_of_keys(std::span<const char* const> fields, const std::string& section);
/// Returns the rows one after the other: the first of a field counts.
std::vector<ExportRow> joined(std::initializer_list<std::span<const ExportRow>> tables);

/// Returns what both targets with DeepSpeed's JSON write into it (deepspeed_json.cc).
std::span<const ExportRow> deepspeed_json_rows();
/// Puts the optimizer's states on the host; false: refused.
bool put_states_offload(Writer& w);

// How settings are written down.
std::string render_flags(const std::string& head, const std::vector<Setting>& settings);
/// Likewise of a script behind a launcher, which takes the settings of these names.
std::string render_launch(const std::string& launcher, const std::vector<std::string_view>& names,
                          const std::string& script, const std::vector<Setting>& settings);
std::string render_json(const std::vector<Setting>& settings);
std::string render_toml(const std::vector<Setting>& settings);
std::string render_yaml(const std::vector<Setting>& settings);
/// Returns the value of the setting of that name; "" if there is none.
std::string value_of(const std::vector<Setting>& settings, std::string_view name);
/// Returns a value as Python writes it.
std::string python_value(const Setting& setting);
/// Returns a line "root.a.b = value" for each setting whose name has a dot.
std::string render_python(const std::string& root, const std::vector<Setting>& settings);

// The rows of the targets, a file each.
std::span<const ExportRow> megatron_rows();
std::span<const ExportRow> deepspeed_rows();
std::span<const ExportRow> accelerate_rows();
/// Of FSDP.
std::span<const ExportRow> accelerate_fsdp_rows();
/// Returns whether the software is PyTorch's FSDP.
bool runs_fsdp(const Scenario& s);
/// Of the newest torchtitan, and of the releases that read TOML.
std::span<const ExportRow> torchtitan_rows();
std::span<const ExportRow> torchtitan_toml_rows();
std::span<const ExportRow> nemo_rows();
std::span<const ExportRow> megatron_bridge_rows();
std::span<const ExportRow> nemo2_rows();
std::string megatron_text(const std::vector<Setting>& settings);
std::string deepspeed_text(const std::vector<Setting>& settings);
std::string accelerate_text(const std::vector<Setting>& settings);
std::string accelerate_fsdp_text(const std::vector<Setting>& settings);
std::string megatron_bridge_text(const std::vector<Setting>& settings);
std::string nemo2_text(const std::vector<Setting>& settings);
std::string torchtitan_text(const std::vector<Setting>& settings);
std::string torchtitan_toml_text(const std::vector<Setting>& settings);

}  // namespace planner::exporting
