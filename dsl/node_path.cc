#include "dsl/node_path.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace dsl {
namespace {

Entry* find_entry(Node& map, std::string_view key) {
  const auto entry = std::ranges::find(map.entries, key, &Entry::key);
  return entry == map.entries.end() ? nullptr : &*entry;
}

}  // namespace

std::string_view next_step(std::string_view& path) {
  const std::string_view step = path.substr(0, path.find('.'));
  path.remove_prefix(std::min(step.size() + 1, path.size()));
  return step;
}

const Node* node_at(const Node& tree, std::string_view path) {
  const Node* at = &tree;
  while (at && !path.empty()) {
    const std::string_view step = next_step(path);
    const size_t open = step.ends_with(']') ? step.find('[') : step.npos;  // most steps have none, and a tree has many
    at = at->find(step.substr(0, open));
    if (!at || open == std::string_view::npos) continue;
    size_t item = 0;  // "[]" is not an item
    const bool is_item = std::from_chars(&step[open] + 1, step.data() + step.size(), item).ec == std::errc{};
    at = is_item && item < at->items.size() ? &at->items[item] : nullptr;
  }
  return at;
}

Node* node_at(Node& tree, std::string_view path) {
  return const_cast<Node*>(node_at(static_cast<const Node&>(tree), path));
}

Entry* entry_at(Node& tree, std::string_view path) {
  const size_t above = path.rfind('.');
  if (above == std::string_view::npos) return find_entry(tree, path);
  Node* map = node_at(tree, path.substr(0, above));
  return map ? find_entry(*map, path.substr(above + 1)) : nullptr;
}

Node written_at(const Node& tree, std::string_view path) {
  const Node* at = node_at(tree, path);
  return at ? *at : Node{};
}

Node& make_at(Node& tree, std::string_view path) {
  Node* at = &tree;
  while (!path.empty()) {
    const std::string_view key = next_step(path);
    at->kind = Node::Kind::map;
    Entry* entry = find_entry(*at, key);
    at = entry ? &entry->value : &at->entries.emplace_back(Entry{std::string(key), at->span, {}}).value;
  }
  return *at;
}

std::vector<RepeatedKey> repeated_keys(const Node& map) {
  std::vector<const Entry*> order;
  for (const Entry& e : map.entries) order.push_back(&e);
  std::ranges::stable_sort(order, {}, [](const Entry* e) -> const std::string& { return e->key; });
  std::vector<RepeatedKey> repeated;
  for (size_t i = 1, first = 0; i < order.size(); ++i)
    if (order[i]->key == order[first]->key) repeated.push_back({order[first], order[i]});
    else first = i;
  return repeated;
}

std::optional<Node> take_at(Node& tree, std::string_view path) {
  Entry* entry = entry_at(tree, path);
  if (!entry) return std::nullopt;
  Node node = std::move(entry->value);
  if (!node.span.source) node.span = entry->key_span;
  const size_t above = path.rfind('.');
  Node& map = above == std::string_view::npos ? tree : *node_at(tree, path.substr(0, above));
  map.entries.erase(map.entries.begin() + (entry - map.entries.data()));
  return node;
}

}  // namespace dsl
