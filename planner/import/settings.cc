#include "planner/import/settings.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "dsl/raw_text.h"
#include "dsl/similar.h"
#include "planner/import/field_tree.h"
#include "planner/scenario/scenario.h"

namespace planner {
namespace {

constexpr double kMost = 1e15;

bool in(std::string_view name, std::span<const char* const> rows) {
  return std::ranges::any_of(rows, [&](const char* row) { return name == row; });
}

bool is_truth(std::string_view field) {
  const auto row = std::ranges::find(scenario_schema(), field, &dsl::Field::path);
  return row != scenario_schema().end() && row->type == dsl::Type::boolean;
}

/// Whether the value is switched off, or is 1 where more is possible.
bool has_no_effect(const dsl::Node& value) {
  if (value.kind == dsl::Node::Kind::null || value.text == "auto") return true;
  if (value.kind == dsl::Node::Kind::scalar) {
    constexpr std::string_view kOff[] = {"", "false", "0", "1"};
    return std::ranges::find(kOff, value.text) != std::end(kOff);
  }
  const dsl::Node* enabled = value.find("enabled");
  return (value.items.empty() && value.entries.empty()) || (enabled && enabled->text == "false");
}

}  // namespace

const RefusedKey* KeyTable::refused_of(std::string_view path) const {
  const auto row = std::ranges::find_if(refused, [&](const RefusedKey& key) { return path == key.key; });
  return row == refused.end() ? nullptr : &*row;
}

KeyRole KeyTable::own_role_of(std::string_view path) const {
  const bool is_read = std::ranges::any_of(fields, [&](const FieldKey& row) { return path == row.name; }) ||
                       std::ranges::any_of(old_names, [&](const OldName& name) { return path == name.old; }) ||
                       in(path, rules);
  if (is_read) return KeyRole::read;
  if (refused_of(path)) return KeyRole::refused;
  if (in(path, lost)) return KeyRole::lost;
  return in(path, idle) ? KeyRole::idle : KeyRole::unknown;
}

KeyRole KeyTable::role_of(std::string_view path) const {
  const KeyRole own = own_role_of(path);
  if (own != KeyRole::unknown) return own;
  if (!names_in(std::string(path) + ".").empty()) return KeyRole::section;
  for (size_t dot = path.rfind('.'); dot != std::string_view::npos; dot = path.rfind('.')) {
    path = path.substr(0, dot);
    const KeyRole around = own_role_of(path);
    if (around != KeyRole::unknown && around != KeyRole::read) return around;
  }
  return KeyRole::unknown;
}

std::vector<std::string> KeyTable::names_in(const std::string& prefix) const {
  std::vector<std::string> names;
  const auto add = [&](std::string_view key) {
    if (key.starts_with(prefix))
      names.emplace_back(key.substr(prefix.size(), key.find('.', prefix.size()) - prefix.size()));
  };
  for (const FieldKey& row : fields) add(row.name);
  for (const OldName& name : old_names) add(name.old);
  for (const RefusedKey& row : refused) add(row.key);
  for (const auto& rows : {rules, lost, idle})
    for (const char* key : rows) add(key);
  return names;
}

const dsl::Node* Settings::named(std::string_view path) const {
  const dsl::Node* node = &tree_;
  while (node && !path.empty()) {
    const size_t dot = path.find('.');
    node = node->kind == dsl::Node::Kind::map ? node->find(path.substr(0, dot)) : nullptr;
    path = dot == std::string_view::npos ? "" : path.substr(dot + 1);
  }
  return node && node->kind != dsl::Node::Kind::null ? node : nullptr;
}

std::string Settings::written(std::string_view path) const {
  if (!named(path))
    for (const OldName& name : table_.old_names)
      if (path == name.now && named(name.old)) return name.old;
  return std::string(path);
}

const dsl::Node* Settings::at(std::string_view path) const { return named(written(path)); }

bool Settings::is_auto(std::string_view path) const {
  const dsl::Node* node = at(path);
  return node && node->text == "auto";
}

const dsl::Node* Settings::find(std::string_view path) const { return is_auto(path) ? nullptr : at(path); }

std::string Settings::text(std::string_view path) const {
  const dsl::Node* node = find(path);
  return node ? node->text : "";
}

dsl::Span Settings::place_of(std::string_view path) const {
  const dsl::Node* node = at(path);
  return node ? node->span : tree_.span;
}

std::string Settings::figure(std::string_view path, const std::string& otherwise) {
  const dsl::Node* node = find(path);
  if (!node) return otherwise;
  const std::optional<std::string> number = megatron::python_number(node->text);
  if (number && node->kind == dsl::Node::Kind::scalar) return *number;
  error(path, "expected a number, 0 or more, for '" + written(path) + "', got '" + dsl::shortened(node->text) + "'");
  return otherwise;
}

int64_t Settings::count(std::string_view path, int64_t otherwise) {
  const size_t before = diagnostics_.list.size();
  const std::string number = figure(path, "");
  if (number.empty()) return otherwise;
  const double x = std::strtod(number.c_str(), nullptr);
  if (x == std::floor(x) && x <= kMost) return static_cast<int64_t>(x);
  if (diagnostics_.list.size() == before)
    error(path, "expected a whole number for '" + written(path) + "', got '" + dsl::shortened(number) + "'");
  return otherwise;
}

bool Settings::is_true(std::string_view path, bool otherwise) {
  const dsl::Node* node = find(path);
  if (!node) return otherwise;
  if (!node->quoted && (node->text == "true" || node->text == "false")) return node->text == "true";
  error(path, "expected true or false for '" + written(path) + "', got '" + dsl::shortened(node->text) + "'");
  return otherwise;
}

void Settings::put(const char* field, const std::string& value, std::string_view path, const std::string& why) {
  const std::string comment = written(path) + (why.empty() ? "" : ": " + why);
  put_field(flags.scenario, field, value_node(value, place_of(path), comment), place_of(path));
}

std::string Settings::value_of(const FieldKey& row) {
  if (row.value) return is_true(row.name) ? row.value : "";
  if (is_truth(row.field)) return is_true(row.name) ? "true" : "false";
  if (row.words.empty()) return figure(row.name, "");
  std::string ours = megatron::ours_of(row.words, text(row.name));
  if (ours.empty()) warn(row.name, "'" + dsl::shortened(text(row.name)) + "' is left out");
  return ours;
}

void Settings::put_fields() {
  for (const FieldKey& row : table_.fields) {
    if (has(row.name)) {
      if (const std::string value = value_of(row); !value.empty()) put(row.field, value, row.name);
    } else if (row.absent) put(row.field, row.absent, row.name, std::string("default of ") + table_.title);
  }
}

void Settings::warn(std::string_view path, const std::string& message, const std::string& hint) {
  diagnostics_.warning(place_of(path), message, hint);
}

void Settings::error(std::string_view path, const std::string& message, const std::string& hint) {
  diagnostics_.error(place_of(path), message, hint);
}

void Settings::judge_key(const dsl::Entry& e, const std::string& path, std::vector<std::string>& idle) {
  const RefusedKey* refused = table_.refused_of(path);
  const KeyRole role = table_.role_of(path);
  // Off, or where the program has it on by default, as it is by default.
  const bool is_usual = refused && (*refused->usual ? e.value.text == refused->usual : has_no_effect(e.value));
  if (role == KeyRole::refused && refused && !is_usual) {
    const std::string hint = refused->hint;
    diagnostics_.error(e.key_span, "'" + path + "' " + refused->change + ", which is not planned",
                       hint.empty() ? "take it out to plan the run without it" : hint);
  } else if (role == KeyRole::lost && !has_no_effect(e.value)) {
    diagnostics_.warning(e.key_span, "'" + path + "' has no counterpart in a plan and is left out");
  } else if (role == KeyRole::idle) {
    idle.push_back(path);
  } else if (role == KeyRole::section) {
    diagnostics_.error(e.value.span, "'" + path + "' holds keys, got '" + dsl::shortened(e.value.text) + "'");
  } else if (role == KeyRole::unknown) {
    const std::string unknown = "unknown key '" + dsl::shortened(path) + "'",
                      hint = dsl::did_you_mean(e.key, table_.names_in(path.substr(0, path.size() - e.key.size())));
    if (*table_.title) diagnostics_.error(e.key_span, unknown + ": " + table_.title + " refuses it", hint);
    else diagnostics_.warning(e.key_span, unknown, hint);
  }
}

void Settings::judge_keys(const dsl::Node& section, const std::string& prefix, std::vector<std::string>& idle) {
  for (const dsl::Entry& e : section.entries) {
    const std::string path = prefix + e.key;
    const bool fixed = table_.role_of(path) == KeyRole::read && !in(path, table_.rules);
    const bool inside = e.value.kind == dsl::Node::Kind::map && !fixed && !table_.names_in(path + ".").empty();
    if (inside) judge_keys(e.value, path + ".", idle);
    else judge_key(e, path, idle);
  }
}

void Settings::judge_names() {
  for (const OldName& name : table_.old_names)
    if (named(name.old) && named(name.now))
      diagnostics_.error(named(name.old)->span,
                         "'" + std::string(name.old) + "' is what '" + name.now + "' was called before",
                         "give one of them");
}

std::vector<std::string> Settings::judge() {
  std::vector<std::string> idle;
  judge_names();
  judge_keys(tree_, "", idle);
  for (const std::string& flag : flags.given()) {
    if (in(flag, table_.rule_flags)) continue;
    if (in(flag, table_.lost_flags)) flags.warn(flag, "has no counterpart in a plan and is left out");
    else idle.push_back(flag);
  }
  return idle;
}

}  // namespace planner
