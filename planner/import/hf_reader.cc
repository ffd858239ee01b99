#include "planner/import/hf_reader.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "dsl/raw_text.h"
#include "planner/import/field_tree.h"

namespace planner::hf {
namespace {

struct ActivationWord {
  const char *theirs, *ours;
};
/// transformers' ACT2FN. Approximations of GeLU cost the same, and so do xIELU (Apertus) and SiLU's relatives of
/// GPT-OSS and Kimi K3.
constexpr ActivationWord kActivations[] = {
    {"gelu", "gelu"},          {"gelu_new", "gelu"},  {"gelu_fast", "gelu"}, {"gelu_pytorch_tanh", "gelu"},
    {"quick_gelu", "gelu"},    {"silu", "silu"},      {"swish", "silu"},     {"relu", "relu"},
    {"relu2", "squared-relu"}, {"swigluoai", "silu"}, {"situ", "silu"},      {"xielu", "gelu"},
    {"sqrelu", "squared-relu"}};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t from = 0; from <= text.size();) {
    const size_t bar = std::min(text.find('|', from), text.size());
    parts.push_back(text.substr(from, bar - from));
    from = bar + 1;
  }
  return parts;
}

bool same_number(const std::string& a, const std::string& b) {
  char *end_a = nullptr, *end_b = nullptr;
  const double x = std::strtod(a.c_str(), &end_a), y = std::strtod(b.c_str(), &end_b);
  return !a.empty() && !b.empty() && *end_a == '\0' && *end_b == '\0' && x == y;
}

/// Whether it says the same value for each layer.
bool is_repeated(const dsl::Node& value) {
  return !value.items.empty() && value.items[0].kind == dsl::Node::Kind::scalar &&
         std::ranges::all_of(value.items, [&](const dsl::Node& item) { return item.text == value.items[0].text; });
}

/// What a configuration without the key says as well.
bool says_nothing(const dsl::Node& value) {
  if (value.kind == dsl::Node::Kind::null || value.text == "false") return true;
  return value.kind != dsl::Node::Kind::scalar && value.items.empty() && value.entries.empty();
}

}  // namespace

const dsl::Node* ConfigReader::find(const std::string& key) {
  known_.insert(key);
  const dsl::Node* value = config_.find(key);
  return value && value->kind != dsl::Node::Kind::null ? value : nullptr;
}

bool ConfigReader::is_whole(const dsl::Node& value) {
  char* end = nullptr;
  const int64_t n = std::strtoll(value.text.c_str(), &end, 10);
  if (value.kind == dsl::Node::Kind::scalar && !value.text.empty() && *end == '\0' && n >= 0) return true;
  error_at(value, "expected a whole number, got '" + dsl::shortened(value.text) + "'");
  return false;
}

int64_t ConfigReader::whole(const dsl::Node& value) {
  return is_whole(value) ? std::strtoll(value.text.c_str(), nullptr, 10) : 0;
}

int64_t ConfigReader::positive(const dsl::Node& value) {
  const int64_t n = whole(value);
  if (n == 0) error_at(value, "expected a whole number of at least 1, got '" + dsl::shortened(value.text) + "'");
  return std::max<int64_t>(1, n);
}

int64_t ConfigReader::whole_at(const std::string& key, int64_t otherwise) {
  const dsl::Node* value = find(key);
  return value && value->text != "auto" ? whole(*value) : otherwise;
}

int64_t ConfigReader::positive_at(const std::string& key, int64_t otherwise) {
  const dsl::Node* value = find(key);
  return value && value->text != "auto" ? positive(*value) : otherwise;
}

const dsl::Node* ConfigReader::filled(const std::string& key) {
  const dsl::Node* value = find(key);
  return value && (value->kind != dsl::Node::Kind::list || !value->items.empty()) ? value : nullptr;
}

bool ConfigReader::is_false(const std::string& key) {
  const dsl::Node* value = find(key);
  return value && !is_true(key);
}

bool ConfigReader::is_true(const std::string& key) {
  const dsl::Node* value = find(key);
  if (!value) return false;
  if (value->kind != dsl::Node::Kind::scalar || (value->text != "true" && value->text != "false"))
    error_at(*value, "expected true or false for '" + key + "'");
  return value->text == "true";
}

void ConfigReader::error_at(const dsl::Node& value, const std::string& message, const std::string& hint) {
  if (told_.insert(&value).second) diagnostics_.error(value.span, message, hint);
}

std::string ConfigReader::source_of(const std::string& key) const {
  return std::filesystem::path(place_.source->name).filename().string() + ": " + key;
}

dsl::Span ConfigReader::place_of(const std::string& key) const {
  const dsl::Node* value = config_.find(key);
  return value ? value->span : place_;
}

void ConfigReader::put(const char* field, std::string text, const std::string& key) {
  put_field(model, field, value_node(std::move(text), place_of(key), source_of(key)), place_);
}

void ConfigReader::error(const std::string& key, const std::string& message, const std::string& hint) {
  if (told_keys_.insert(key).second) diagnostics_.error(place_of(key), "'" + key + "': " + message, hint);
}

void ConfigReader::drop(const char* field) { drop_field(model, field); }

void ConfigReader::put_layers(const std::vector<LayerDraft>& layers, const std::string& key,
                              const std::vector<LayerDraft>& predicted) {
  planner::put_layers(model, layers, place_of(key), source_of(key), predicted);
}

int64_t ConfigReader::count(const char* field) const {
  const dsl::Node* value = model.find(field);
  return value ? std::max<int64_t>(0, std::strtoll(value->text.c_str(), nullptr, 10)) : 0;
}

void ConfigReader::read_keys(Keys keys) {
  for (const ConfigKey& row : keys) read_key(row);
}

void ConfigReader::read_key(const ConfigKey& row) {
  const std::vector<std::string> names = split(row.key);
  const dsl::Node* value = nullptr;
  std::string key = names[0];
  for (const std::string& name : names) {
    const dsl::Node* here = find(name);
    if (!value && here) value = here, key = name;
  }
  ++(value ? shared_ : lacked_);
  if (value) return put_value(row, key, *value);
  if (!row.otherwise) return;
  if (std::string_view(row.otherwise) == kNeeded) {
    missing_.push_back(key);
    return diagnostics_.error(config_.span, "missing key '" + key + "' of " + architecture_.name);
  }
  put_field(model, row.field, value_node(row.otherwise, place_, key + " of " + architecture_.name + " by default"),
            place_);
}

void ConfigReader::put_value(const ConfigKey& row, const std::string& key, const dsl::Node& given) {
  const dsl::Node& value = is_repeated(given) ? given.items[0] : given;
  if (value.kind != dsl::Node::Kind::scalar)
    return diagnostics_.error(value.span, "expected one value for '" + key + "'");
  std::string text = value.text;
  if (row.meaning == KeyMeaning::of_hidden) text += " * model.hidden";
  if (row.meaning == KeyMeaning::negated) text = is_true(key) ? "false" : "true";
  if (row.meaning == KeyMeaning::activation) {
    std::vector<std::string> words;
    for (const ActivationWord& word : kActivations) words.emplace_back(word.theirs);
    const auto at = std::find(words.begin(), words.end(), text);
    if (at == words.end()) {
      std::string known;
      for (const std::string& word : words) known += (known.empty() ? "known: " : ", ") + word;
      return diagnostics_.error(value.span, "unknown activation '" + dsl::shortened(text) + "'", known);
    }
    text = kActivations[at - words.begin()].ours;
  }
  put_field(model, row.field, value_node(text, value.span, source_of(key), value.quoted), value.span);
}

void ConfigReader::put_facts(Facts facts) {
  for (const ModelFact& f : facts) put_field(model, f.field, value_node(f.value, place_, architecture_.name), place_);
}

void ConfigReader::warn(const std::string& key, const std::string& message) {
  diagnostics_.warning(place_of(key), "'" + key + "': " + message);
}

bool ConfigReader::has_no_effect(const dsl::Entry& entry) const {
  const dsl::Node& value = entry.value;
  if (says_nothing(value)) return true;
  if (known_.contains(entry.key)) return true;
  if (harmless().contains(entry.key)) return true;
  return std::ranges::any_of(harmless_at(), [&](const HarmlessKey& row) {
    return entry.key == row.key && (value.text == row.value || same_number(value.text, row.value));
  });
}

void ConfigReader::warn_unread(const dsl::Node& map, const std::string& name, std::span<const char* const> known) {
  const std::vector<std::string> names(known.begin(), known.end());
  for (const dsl::Entry& entry : map.entries) {
    if (says_nothing(entry.value) || std::ranges::find(names, entry.key) != names.end()) continue;
    diagnostics_.warning(
        entry.key_span, "'" + name + "." + dsl::shortened(entry.key) + "' has no counterpart in a plan and is left out",
        dsl::did_you_mean(entry.key, names));
  }
}

std::vector<std::string> ConfigReader::warn_unknown() {
  std::vector<std::string> names(known_.begin(), known_.end()), unread;
  names.insert(names.end(), harmless().begin(), harmless().end());
  for (const HarmlessKey& row : harmless_at()) names.emplace_back(row.key);
  for (const dsl::Entry& entry : config_.entries) {
    if (has_no_effect(entry)) continue;
    const bool listed = std::find(names.begin(), names.end(), entry.key) != names.end();
    diagnostics_.warning(entry.key_span,
                         "'" + dsl::shortened(entry.key) + "' has no counterpart in a plan and is left out",
                         listed ? "" : dsl::did_you_mean(entry.key, names));
    unread.push_back(dsl::shortened(entry.key));
  }
  return unread;
}

}  // namespace planner::hf
