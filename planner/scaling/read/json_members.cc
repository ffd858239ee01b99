#include "planner/scaling/read/json_members.h"

#include <fmt/format.h>

#include <algorithm>

#include "dsl/csv.h"
#include "dsl/raw_text.h"

namespace planner::scaling {

using Kind = dsl::Node::Kind;

bool JsonMembers::is_map(const dsl::Node& node) {
  if (node.kind != Kind::map) diagnostics_.error(node.span, "expected a map: {\"key\": value}");
  return node.kind == Kind::map;
}

bool JsonMembers::is_list(const dsl::Node& node) {
  if (node.kind != Kind::list) diagnostics_.error(node.span, "expected a list: [value, value]");
  return node.kind == Kind::list;
}

const dsl::Node* JsonMembers::member(const dsl::Node& map, const char* key) {
  if (!is_map(map)) return nullptr;
  const dsl::Node* value = map.find(key);
  if (!value) diagnostics_.error(map.span, fmt::format("missing key '{}'", key));
  return value;
}

const dsl::Node* JsonMembers::list(const dsl::Node& map, const char* key) {
  const dsl::Node* value = member(map, key);
  return value && is_list(*value) ? value : nullptr;
}

std::optional<double> JsonMembers::number(const dsl::Node& node) {
  std::optional<double> value;
  if (node.kind == Kind::scalar && !node.quoted) value = dsl::cell_number(node.text);
  if (!value) diagnostics_.error(node.span, "expected a number");
  return value;
}

std::optional<std::string> JsonMembers::text(const dsl::Node& node) {
  if (node.kind == Kind::scalar && node.quoted) return node.text;
  diagnostics_.error(node.span, "expected a text in double quotes");
  return std::nullopt;
}

std::optional<std::vector<double>> JsonMembers::numbers(const dsl::Node& node) {
  std::vector<double> values;
  const bool many = node.kind == Kind::list;
  for (size_t i = 0; i < (many ? node.items.size() : 1); ++i) {
    const std::optional<double> value = number(many ? node.items[i] : node);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  if (!values.empty()) return values;
  diagnostics_.error(node.span, "the list is empty: expected numbers");
  return std::nullopt;
}

bool JsonMembers::only(const dsl::Node& map, const std::vector<std::string>& keys) {
  if (!is_map(map)) return false;
  bool all = true;
  for (const dsl::Entry& entry : map.entries) {
    if (std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
    all = false;
    if (!told_.insert(entry.key).second) continue;
    const std::string nearest = dsl::did_you_mean(entry.key, keys);
    std::string known;
    for (const std::string& key : keys) known += (known.empty() ? "known: " : ", ") + key;
    diagnostics_.error(entry.key_span, fmt::format("unknown key '{}'", dsl::shortened(entry.key)),
                       nearest.empty() ? known : nearest);
  }
  return all;
}

}  // namespace planner::scaling
