// A record written out as a file again.
#include <algorithm>

#include "dsl/record.h"
#include "dsl/schema_tree.h"
#include "dsl/write.h"

namespace dsl {
namespace {

// Neighbours are written one after the other: usually the last one is needed.
Node& child(Node& map, std::string_view key) {
  map.kind = Node::Kind::map;
  for (auto e = map.entries.rbegin(); e != map.entries.rend(); ++e)
    if (e->key == key) return e->value;
  map.entries.push_back({std::string(key), {}, Node{}});
  return map.entries.back().value;
}

// The length of the first step of `rest`. A map's key may hold dots itself: the longest that fits.
size_t step_length(const Record& record, std::string_view above, std::string_view rest) {
  size_t length = 0;
  if (auto it = record.map_keys.find(above); it != record.map_keys.end())
    for (const std::string& key : it->second)
      if (rest.starts_with(key) && (rest.size() == key.size() || rest[key.size()] == '.'))
        length = std::max(length, key.size());
  return length > 0 ? length : std::min(rest.find('.'), rest.size());
}

// The node at "a.b[0].c", made with everything above it.
Node& node_at(const Record& record, Node& root, std::string_view path) {
  Node* at = &root;
  size_t from = 0;
  while (from < path.size()) {
    const std::string_view above = path.substr(0, from > 0 ? from - 1 : 0);
    std::string_view step = path.substr(from, step_length(record, above, path.substr(from)));
    from += step.size() + 1;
    const size_t open = step.find('[');
    at = &child(*at, step.substr(0, open));
    if (open == std::string_view::npos) continue;
    const size_t index = static_cast<size_t>(std::stoul(std::string(step.substr(open + 1))));
    at->kind = Node::Kind::list;
    while (at->items.size() <= index) at->items.emplace_back().kind = Node::Kind::map;
    at = &at->items[index];
  }
  return *at;
}

bool is_written(const Slot& slot) {
  if (slot.field->type == Type::expression) return !slot.expressions.empty();
  const List* list = std::get_if<List>(&slot.value.v);
  if (list && list->empty()) return !slot.field->otherwise.empty();  // an absent list is empty anyway
  return !slot.value.is_null();
}

Node slot_node(const Slot& slot) {
  if (slot.field->type != Type::expression) return value_node(slot.value, false);
  if (!slot.field->many) return scalar_node(slot.expressions[0].text, true);
  Node node;
  node.kind = Node::Kind::list;
  for (const Expression& e : slot.expressions) node.items.push_back(scalar_node(e.text, true));
  return node;
}

}  // namespace

namespace {

// Sections that another key can replace as a whole: those of `stands_for` that are not fields.
class Sections {
 public:
  explicit Sections(const Record& record) {
    for (const auto& [path, node] : record.stands_for)
      if (!record.find(path) && !path.starts_with("let.")) prefixes_.emplace_back(path + ".", &node);
  }
  /// The path and the node of the section that holds `path`; null: none.
  const std::pair<std::string, const Node*>* holding(std::string_view path) const {
    for (const auto& section : prefixes_)
      if (path.starts_with(section.first)) return &section;
    return nullptr;
  }

 private:
  std::vector<std::pair<std::string, const Node*>> prefixes_;
};

}  // namespace

Node resolved(const Record& record) {
  Node root;
  root.kind = Node::Kind::map;
  const Sections sections(record);
  const auto other = [&](const std::string& path) {
    const auto at = record.stands_for.find(path);
    return at == record.stands_for.end() ? nullptr : &at->second;
  };
  for (const auto& [name, value] : record.let) {
    const Node* instead = other("let." + name);
    node_at(record, root, "let." + name) = instead ? *instead : value_node(value, true);
  }
  for (const auto& [path, slot] : record.slots) {
    if (const auto* section = sections.holding(path)) {
      node_at(record, root, section->first.substr(0, section->first.size() - 1)) = *section->second;
      continue;
    }
    const Node* instead = other(path);
    if (!is_written(slot) || (instead && instead->kind == Node::Kind::null)) continue;
    Node& node = node_at(record, root, path);
    if (instead) node = *instead;
    else node = slot_node(slot);
    node.comment = slot.comment;
    node.span = slot.span;
  }
  // Items and entries that hold nothing but absent fields are still counted.
  for (const auto& [path, size] : record.list_sizes) {
    if (sections.holding(path)) continue;
    Node& list = node_at(record, root, path);
    list.kind = Node::Kind::list;
    while (list.items.size() < size) list.items.emplace_back().kind = Node::Kind::map;
  }
  for (const auto& [path, keys] : record.map_keys)
    if (!sections.holding(path))
      for (const std::string& key : keys) {
        Node& node = node_at(record, root, path_below(path, key));
        if (node.kind == Node::Kind::null) node.kind = Node::Kind::map;
      }
  return root;
}

}  // namespace dsl
