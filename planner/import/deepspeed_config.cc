#include "planner/import/deepspeed_config.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "dsl/raw_text.h"
#include "dsl/similar.h"
#include "planner/import/deepspeed_table.h"
#include "planner/import/field_tree.h"

namespace planner::deepspeed {
namespace {

constexpr double kMost = 1e15;

bool in(std::string_view name, std::span<const char* const> rows) {
  return std::ranges::any_of(rows, [&](const char* row) { return name == row; });
}

bool is_field(std::string_view path) {
  return std::ranges::any_of(field_keys(), [&](const FieldKey& row) { return path == row.key; });
}

std::vector<std::string> known_keys() {
  std::vector<std::string> all;
  for (const FieldKey& row : field_keys()) all.emplace_back(row.key);
  for (const auto& rows : {rule_keys(), lost_keys(), idle_keys()})
    for (const char* key : rows) all.emplace_back(key);
  return all;
}

/// The names that stand in a section, by all tables.
std::vector<std::string> names_in(const std::string& prefix) {
  std::vector<std::string> names;
  for (const std::string& key : known_keys())
    if (key.starts_with(prefix))
      names.push_back(key.substr(prefix.size(), key.find('.', prefix.size()) - prefix.size()));
  return names;
}

/// What is switched off, or says 1 of what could be more.
bool has_no_effect(const dsl::Node& value) {
  if (value.kind == dsl::Node::Kind::null || value.text == "auto") return true;
  if (value.kind == dsl::Node::Kind::scalar) return value.text == "false" || value.text == "0" || value.text == "1";
  const dsl::Node* enabled = value.find("enabled");
  return (value.items.empty() && value.entries.empty()) || (enabled && enabled->text == "false");
}

}  // namespace

const dsl::Node* Config::at(std::string_view path) const {
  const dsl::Node* node = &json_;
  while (node && !path.empty()) {
    const size_t dot = path.find('.');
    node = node->kind == dsl::Node::Kind::map ? node->find(path.substr(0, dot)) : nullptr;
    path = dot == std::string_view::npos ? "" : path.substr(dot + 1);
  }
  return node && node->kind != dsl::Node::Kind::null ? node : nullptr;
}

bool Config::is_auto(std::string_view path) const {
  const dsl::Node* node = at(path);
  return node && node->text == "auto";
}

const dsl::Node* Config::find(std::string_view path) const { return is_auto(path) ? nullptr : at(path); }

std::string Config::text(std::string_view path) const {
  const dsl::Node* node = find(path);
  return node ? node->text : "";
}

dsl::Span Config::place_of(std::string_view path) const {
  const dsl::Node* node = at(path);
  return node ? node->span : json_.span;
}

std::string Config::figure(std::string_view path, const std::string& otherwise) {
  const dsl::Node* node = find(path);
  if (!node) return otherwise;
  char* end = nullptr;
  const double x = std::strtod(node->text.c_str(), &end);
  const bool decimal = node->text.find_first_not_of("0123456789.eE+-") == std::string::npos;
  const bool number = node->kind == dsl::Node::Kind::scalar && !node->text.empty() && *end == '\0' && decimal;
  if (number && std::isfinite(x) && x >= 0) return node->text;
  error(path,
        "expected a number, 0 or more, for '" + std::string(path) + "', got '" + dsl::shortened(node->text) + "'");
  return otherwise;
}

int64_t Config::count(std::string_view path, int64_t otherwise) {
  const size_t before = diagnostics_.list.size();
  const std::string written = figure(path, "");
  if (written.empty()) return otherwise;
  const double x = std::strtod(written.c_str(), nullptr);
  if (x == std::floor(x) && x <= kMost) return static_cast<int64_t>(x);
  if (diagnostics_.list.size() == before)
    error(path, "expected a whole number for '" + std::string(path) + "', got '" + dsl::shortened(written) + "'");
  return otherwise;
}

bool Config::is_true(std::string_view path, bool otherwise) {
  const dsl::Node* node = find(path);
  if (!node) return otherwise;
  if (!node->quoted && (node->text == "true" || node->text == "false")) return node->text == "true";
  error(path, "expected true or false for '" + std::string(path) + "', got '" + dsl::shortened(node->text) + "'");
  return otherwise;
}

bool Config::is_on(const std::string& flag) const {
  if (!flags.has(flag)) return false;
  std::string word = flags.text(flag, "true");
  std::ranges::transform(word, word.begin(), dsl::small);
  return word != "false" && word != "0" && word != "no";
}

void Config::put(const char* field, const std::string& value, std::string_view path, const std::string& why) {
  const std::string comment = std::string(path) + (why.empty() ? "" : ": " + why);
  put_field(flags.scenario, field, value_node(value, place_of(path), comment), place_of(path));
}

void Config::put_fields() {
  for (const FieldKey& row : field_keys()) {
    if (!has(row.key)) continue;
    const std::string value = row.truth ? (is_true(row.key) ? "true" : "false") : figure(row.key, "");
    if (!value.empty()) put(row.field, value, row.key);
  }
}

void Config::warn(std::string_view path, const std::string& message, const std::string& hint) {
  diagnostics_.warning(place_of(path), message, hint);
}

void Config::error(std::string_view path, const std::string& message, const std::string& hint) {
  diagnostics_.error(place_of(path), message, hint);
}

void Config::judge_keys(const dsl::Node& section, const std::string& prefix, std::vector<std::string>& idle) {
  for (const dsl::Entry& e : section.entries) {
    const std::string path = prefix + e.key;
    const std::vector<std::string> inside = names_in(path + ".");
    if (e.value.kind == dsl::Node::Kind::map && !inside.empty() && !is_field(path)) {
      judge_keys(e.value, path + ".", idle);
    } else if (is_field(path) || in(path, rule_keys())) {
      continue;
    } else if (in(path, lost_keys())) {
      if (!has_no_effect(e.value))
        diagnostics_.warning(e.key_span, "'" + path + "' has no counterpart in a plan and is left out");
    } else if (in(path, idle_keys()) || in(prefix.substr(0, prefix.rfind('.')), idle_keys())) {
      idle.push_back(path);
    } else {
      diagnostics_.warning(e.key_span, "unknown key '" + dsl::shortened(path) + "'",
                           dsl::did_you_mean(e.key, names_in(prefix)));
    }
  }
}

std::vector<std::string> Config::judge() {
  std::vector<std::string> idle;
  judge_keys(json_, "", idle);
  for (const std::string& flag : flags.given()) {
    if (in(flag, rule_flags())) continue;
    if (in(flag, lost_flags())) flags.warn(flag, "has no counterpart in a plan and is left out");
    else idle.push_back(flag);
  }
  return idle;
}

}  // namespace planner::deepspeed
