#include "planner/import/field_tree.h"

#include <algorithm>

namespace planner {
namespace {

dsl::Entry* find(dsl::Node& map, std::string_view key) {
  for (dsl::Entry& e : map.entries)
    if (e.key == key) return &e;
  return nullptr;
}

/// "cluster.network" holds "cluster.network[0].name", and not "cluster.networks".
bool is_at_or_below(std::string_view path, std::string_view section) {
  if (!path.starts_with(section)) return false;
  return path.size() == section.size() || path[section.size()] == '.' || path[section.size()] == '[';
}

}  // namespace

void put_field(dsl::Node& root, std::string_view path, dsl::Node value, const dsl::Span& key_span) {
  root.kind = dsl::Node::Kind::map;
  const size_t dot = path.find('.');
  const std::string_view key = path.substr(0, dot);
  dsl::Entry* entry = find(root, key);
  if (!entry) entry = &root.entries.emplace_back(dsl::Entry{std::string(key), key_span, {}});
  if (dot == std::string_view::npos) {
    entry->value = std::move(value);
    return;
  }
  if (!entry->value.span.source) entry->value.span = key_span;
  put_field(entry->value, path.substr(dot + 1), std::move(value), key_span);
}

void drop_field(dsl::Node& root, std::string_view path) {
  const size_t dot = path.find('.');
  dsl::Entry* entry = find(root, path.substr(0, dot));
  if (!entry) return;
  if (dot != std::string_view::npos) drop_field(entry->value, path.substr(dot + 1));
  if (dot == std::string_view::npos || entry->value.entries.empty())
    std::erase_if(root.entries, [&](const dsl::Entry& e) { return e.key == path.substr(0, dot); });
}

void order_fields(dsl::Node& root, const dsl::Schema& schema, const std::string& path) {
  std::vector<std::pair<std::ptrdiff_t, dsl::Entry>> ranked;
  for (dsl::Entry& e : root.entries) {
    const std::string here = path + e.key;
    const auto row = std::ranges::find_if(schema, [&](const dsl::Field& f) { return is_at_or_below(f.path, here); });
    ranked.emplace_back(row == schema.end() ? -1 : row - schema.begin(), std::move(e));
  }
  std::ranges::stable_sort(ranked, {}, [](const auto& pair) { return pair.first; });
  root.entries.clear();
  for (auto& [rank, entry] : ranked) {
    order_fields(entry.value, schema, path + entry.key + ".");
    root.entries.push_back(std::move(entry));
  }
}

dsl::Node value_node(std::string text, const dsl::Span& span, std::string comment, bool quoted) {
  dsl::Node node;
  node.kind = dsl::Node::Kind::scalar;
  node.text = std::move(text);
  node.quoted = quoted;
  node.comment = std::move(comment);
  node.span = span;
  return node;
}

}  // namespace planner
