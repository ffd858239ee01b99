#include <algorithm>
#include <deque>

#include "dsl/write.h"
#include "planner/export/relevance.h"
#include "planner/export/table.h"
#include "planner/import/megatron_yaml.h"
#include "planner/import/noted_fields.h"
#include "planner/workload/placement.h"

namespace planner::exporting {

bool matches(std::string_view field, std::string_view pattern) {
  if (!pattern.ends_with('*')) return field == pattern;
  return field.starts_with(pattern.substr(0, pattern.size() - 1));
}

const ExportRow* find_row(std::span<const ExportRow> rows, std::string_view field) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const ExportRow& r) { return matches(field, r.field); });
  return row == rows.end() ? nullptr : &*row;
}

std::vector<ExportRow> joined(std::initializer_list<std::span<const ExportRow>> tables) {
  std::vector<ExportRow> rows;
  for (const std::span<const ExportRow> table : tables) rows.insert(rows.end(), table.begin(), table.end());
  return rows;
}

namespace {

ExportRow row_of_flag(const megatron::FieldFlag& flag) {
  return {.field = flag.field,
          .name = flag.name,
          .on = flag.value,
          .only = flag.words.empty() ? nullptr : flag.absent,
          .words = flag.words};
}

bool says_only_when(const ExportRow& row) { return row.when && !row.name && !row.rule && !row.only && !*row.hint; }

}  // namespace

std::vector<ExportRow> with_flags(std::span<const ExportRow> rows, std::span<const megatron::FieldFlag> flags) {
  std::vector<ExportRow> all(rows.begin(), rows.end());
  for (ExportRow& row : all) {
    const auto flag = std::ranges::find(flags, std::string_view(row.field), &megatron::FieldFlag::field);
    const ExportRow said = row;
    if (!says_only_when(row) || flag == flags.end()) continue;
    row = row_of_flag(*flag);
    row.when = said.when, row.with = said.with;
  }
  for (const megatron::FieldFlag& flag : flags)
    if (!find_row(all, flag.field)) all.push_back(row_of_flag(flag));
  return all;
}

std::vector<ExportRow> rows_of_flags(std::span<const char* const> fields, const megatron::ProgramFlags& flags) {
  std::vector<ExportRow> rows;
  for (const std::string_view field : fields) {
    for (const megatron::ProgramFlags* table = &flags; table; table = table->base) {
      const auto flag = std::ranges::find(table->fields, field, &megatron::FieldFlag::field);
      if (flag == table->fields.end()) continue;
      rows.push_back(row_of_flag(*flag));
      break;
    }
  }
  return rows;
}

std::vector<ExportRow> rows_of_keys(std::span<const char* const> fields, const std::string& section) {
  static std::deque<std::string> names;  // rows point to them, and are made once
  std::vector<ExportRow> rows;
  for (const char* field : fields) {
    const std::span<const megatron::FieldFlag> flags = megatron::megatron_lm().fields;
    const auto flag = std::ranges::find(flags, std::string_view(field), &megatron::FieldFlag::field);
    names.push_back(section + "." + megatron::key_of_flag(flag->name));
    rows.push_back({.field = field, .name = names.back().c_str(), .words = flag->words});
  }
  return rows;
}

Writer::Writer(const LoadedScenario& loaded, const Target& target, const ProgramHabits& habits,
               dsl::Diagnostics& diagnostics)
    : s(loaded.scenario), record_(loaded.record), target_(target), habits_(habits), diagnostics_(diagnostics) {}

void Writer::write(const ExportRow& row, const dsl::Slot& slot, const std::string& field) {
  slot_ = &slot;
  field_ = field;
  const bool applies = !row.when || row.when(s);
  if ((!row.always && !is_relevant(field, s)) || (row.with && (!row.when || !applies))) return;
  if (!applies) return slot.field->descriptive || is_habit() ? void() : refuse("", row.hint);
  if (row.rule) return row.rule(*this);
  const std::string text = value();
  if (row.on && text == row.on) return put_switch(row.name);
  if (row.on && slot.field->type == dsl::Type::boolean) return;
  if (row.only ? text == row.only : (!row.name || row.on) && is_habit()) return;
  if (row.name && !row.words.empty()) return put_word_of(*this, row.name, row.words);
  if (row.name && !row.on) return put(row.name, text, slot.field->type >= dsl::Type::word);
  refuse("", row.hint);
}

namespace {

/// The name of the catalogue entry that the error model is; "": the catalogue lacks it.
std::string_view errors_entry(const dsl::Record& record) {
  constexpr std::string_view kFolder = "catalog:errors/", kEnding = ".yaml";
  const dsl::Slot* slot = record.find("software.errors.families[0].generation");
  const std::string_view file = slot && slot->span.source ? std::string_view(slot->span.source->name) : "";
  if (!file.starts_with(kFolder) || !file.ends_with(kEnding)) return "";
  return file.substr(kFolder.size(), file.size() - kFolder.size() - kEnding.size());
}

}  // namespace

std::string Writer::notes() const {
  std::string out;
  const std::string_view errors = errors_entry(record_);
  if (!errors.empty() && (!habits_.record() || errors != errors_entry(*habits_.record())))
    out += std::string(kNotedField) + kNotedErrors + " = " + std::string(errors) + "\n";
  for (const auto& [path, slot] : record_.slots)
    if (is_noted(*slot.field) && !habits_.holds(path, slot))
      out += std::string(kNotedField) + path + " = " + dsl::write_value(slot.value) + "\n";
  return out;
}

void Writer::write_all() {
  for (const char* section : {"parallelism.", "job.", "model.", "software."}) {
    for (const auto& [path, slot] : record_.slots) {
      if (!path.starts_with(section)) continue;
      const ExportRow* row = find_row(target_.rows, path);
      if (row) write(*row, slot, path);
      else if (is_setting(*slot.field) && !goes_with_another(path)) write({.field = path.c_str()}, slot, path);
    }
  }
  tell_of_software();
}

void Writer::tell_of_software() {
  constexpr size_t kEach = 2;  // up to so many have a message each
  if (of_software_.size() <= kEach) {
    for (const ProfileRefusal& r : of_software_) diagnostics_.error(r.span, r.message, r.hint);
    return;
  }
  std::string settings;
  for (const ProfileRefusal& r : of_software_)
    settings += (settings.empty() ? "" : ", ") + r.setting.substr(r.setting.find('.') + 1);
  diagnostics_.error(record_.find("software.name")->span,
                     std::string(target_.title) + " does not run as '" + s.software.name + "' does: " + settings,
                     "`--set software.use=" + std::string(target_.software) + "` plans how it runs");
}

void Writer::put(const std::string& name, const std::string& value, bool quoted) {
  settings.push_back({name, value, quoted, field_});
}

std::string Writer::value() const { return dsl::shown_value(slot_->value); }

void Writer::refuse(const std::string& why, const std::string& hint) { refuse_at(field_, why, hint); }

void Writer::refuse_at(const std::string& field, const std::string& why, const std::string& hint) {
  const dsl::Slot& slot = *record_.find(field);
  const std::string setting = field + ": " + dsl::shown_value(slot.value);
  const std::string message = std::string(target_.title) + " cannot express '" + setting + "'";
  const ProfileRefusal refusal{slot.span, setting, message + (why.empty() ? "" : ": " + why), hint};
  const bool is_written = slot.given && slot.span.source && !slot.span.source->name.starts_with("catalog:");
  if (field.starts_with("software.") && !is_written) of_software_.push_back(refusal);
  else diagnostics_.error(refusal.span, refusal.message, refusal.hint);
}

std::string word_of(Writer& w, std::span<const ExportWord> words) {
  for (const ExportWord& word : words)
    if (w.value() == word.ours) return word.theirs;
  std::string known;
  for (const ExportWord& word : words) known += (known.empty() ? "it knows " : ", ") + std::string(word.ours);
  w.refuse("", known);
  return "";
}

void put_word_of(Writer& w, const std::string& name, std::span<const ExportWord> words) {
  if (const std::string theirs = word_of(w, words); !theirs.empty()) w.put_word(name, theirs);
}

void refuse_operators(Writer& w) {
  if (w.field() == "model.operators[0].name") w.refuse("it trains Transformers, no list of operators");
}

void refuse_pattern(Writer& w) {
  if (!w.s.model.pattern.empty()) w.refuse("layers of unlike kinds are written by hand");
}

void keep_expert_shards(Writer& w) {
  Scenario usual = w.s;
  usual.parallelism.expert_zero_group = 0;
  if (expert_shards(usual) != expert_shards(w.s))
    w.refuse("its experts are sharded over as many of their copies as the other weights say",
             "parallelism.expert_zero_group: 0");
}

void refuse_packing(Writer& w) { w.refuse("documents are a property of its data"); }

int64_t vocab_multiple(Writer& w) {
  constexpr int64_t kDefault = 128;  // of make_vocab_size_divisible_by
  const int64_t vocab = w.s.model.vocab, tp = w.s.parallelism.tp;
  if (vocab % tp != 0) {
    w.refuse("the program pads the vocabulary to a multiple of tp, which is " + std::to_string(tp));
    return 0;
  }
  int64_t multiple = kDefault;
  while (multiple > 1 && vocab % (multiple * tp) != 0) multiple /= 2;
  return multiple;
}

void put_bucket(Writer& w, const std::string& name) {
  const double bytes = w.s.software.bucket_bytes.value, width = w.s.software.reduce_bytes;
  const auto gradients = static_cast<int64_t>(width > 0 ? bytes / width : 0);
  if (static_cast<double>(gradients) * width != bytes) return w.refuse("buckets are counted in whole gradients");
  if (gradients > 0) w.put(name, gradients);
}

void put_vocab(Writer& w) {
  const int64_t multiple = vocab_multiple(w);
  if (multiple == 0) return;
  w.put("--vocab-size", w.value());
  w.put("--make-vocab-size-divisible-by", multiple);
}

bool fills_nodes(Writer& w) {
  const bool fills = nodes(w.s) * gpus_per_node(w.s) == w.s.cluster.gpus;
  if (!fills)
    w.refuse(std::to_string(w.s.cluster.gpus) + " processes do not fill nodes of " +
             std::to_string(gpus_per_node(w.s)));
  return fills;
}

}  // namespace planner::exporting
