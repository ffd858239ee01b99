#include <algorithm>

#include "dsl/write.h"
#include "planner/export/table.h"
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

Writer::Writer(const LoadedScenario& loaded, const Target& target, dsl::Diagnostics& diagnostics)
    : s(loaded.scenario), record_(loaded.record), target_(target), diagnostics_(diagnostics) {}

void Writer::write(const ExportRow& row, const dsl::Slot& slot, const std::string& field) {
  slot_ = &slot;
  field_ = field;
  if (row.when && !row.when(s)) return;
  if (row.rule) return row.rule(*this);
  const std::string text = value();
  if (row.only && text == row.only) return;
  if (row.on && text == row.on) return put_switch(row.name);
  const bool truth = slot.field->type == dsl::Type::boolean;
  if (row.name && !row.on) return put(row.name, text, slot.field->type >= dsl::Type::word);
  if (row.only || (row.on && !truth)) refuse("", row.hint);
}

void Writer::put(const std::string& name, const std::string& value, bool quoted) {
  settings.push_back({name, value, quoted, field_});
}

std::string Writer::value() const { return dsl::shown_value(slot_->value); }

void Writer::refuse(const std::string& why, const std::string& hint) { refuse_at(field_, why, hint); }

void Writer::refuse_at(const std::string& field, const std::string& why, const std::string& hint) {
  const dsl::Slot& slot = *record_.find(field);
  const std::string what =
      std::string(target_.title) + " cannot express '" + field + ": " + dsl::shown_value(slot.value) + "'";
  diagnostics_.error(slot.span, what + (why.empty() ? "" : ": " + why), hint);
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
