#include "planner/import/hf_lists.h"

#include <fmt/format.h>

#include <algorithm>

#include "dsl/raw_text.h"

namespace planner::hf {
namespace {

/// Whether it is a list; diagnosed where it is not.
bool is_list(ConfigReader& reader, const dsl::Node& value, const std::string& name) {
  if (value.kind == dsl::Node::Kind::list) return true;
  reader.error_at(value, fmt::format("expected a list for '{}'", name));
  return false;
}

bool knows_items(ConfigReader& reader, const dsl::Node& list, const std::string& name, Words words) {
  for (const dsl::Node& item : list.items) {
    if (words.empty() && !reader.is_whole(item)) return false;
    if (words.empty() ||
        std::ranges::find(words, item.text, [](const char* w) { return std::string(w); }) != words.end())
      continue;
    reader.error_at(item, fmt::format("unknown kind of layer '{}' in '{}'", dsl::shortened(item.text), name),
                    fmt::format("known: {}", fmt::join(words, ", ")));
    return false;
  }
  return true;
}

}  // namespace

LayerList::LayerList(ConfigReader& reader, const dsl::Node* value, const std::string& name, Words words, int64_t more) {
  if (!value || !is_list(reader, *value, name) || !knows_items(reader, *value, name, words)) return;
  const auto items = static_cast<int64_t>(value->items.size());
  const int64_t layers = reader.layers();
  if (items >= layers && items <= layers + more) list_ = value;
  else
    reader.error_at(*value, fmt::format("'{}' has {} items, and the model {} layers", name, items, layers),
                    "list one item for each layer");
}

LayerSet::LayerSet(ConfigReader& reader, const dsl::Node* value, const std::string& name, int64_t first) {
  if (!value || !is_list(reader, *value, name)) return;
  for (const dsl::Node& item : value->items) {
    if (!reader.is_whole(item)) return;
    const int64_t layer = reader.whole(item) - first;
    if (layer >= 0 && layer < reader.layers()) layers_.insert(layer);
    else
      reader.error_at(item, fmt::format("'{}' names layer {}, which the model does not have", name, item.text),
                      fmt::format("layers are {} to {}", first, reader.layers() + first - 1));
  }
}

const dsl::Node* section(ConfigReader& reader, const std::string& key, Words known) {
  const dsl::Node* map = reader.find(key);
  if (!map) return nullptr;
  if (map->kind != dsl::Node::Kind::map) {
    reader.error_at(*map, fmt::format("expected a map for '{}'", key));
    return nullptr;
  }
  reader.warn_unread(*map, key, known);
  return map;
}

}  // namespace planner::hf
