// Lists of a configuration with one item per layer.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "planner/import/hf_reader.h"

namespace planner::hf {

using Words = std::span<const char* const>;

/// A list with an item for each layer. An item is one of `words`; without words it is a whole number.
class LayerList {
 public:
  LayerList() = default;
  /// If the value is not such a list, it is diagnosed and treated as absent. `name`: its name in messages; `more`:
  /// additional items, of prediction layers.
  LayerList(ConfigReader& reader, const dsl::Node* value, const std::string& name, Words words = {}, int64_t more = 0);

  explicit operator bool() const { return list_ != nullptr; }
  const std::string& at(int64_t layer) const { return list_->items[static_cast<size_t>(layer)].text; }
  bool is_set(int64_t layer) const { return at(layer) != "0"; }

 private:
  const dsl::Node* list_ = nullptr;
};

/// A list of layers by their numbers, which begin at `first`.
class LayerSet {
 public:
  LayerSet() = default;
  LayerSet(ConfigReader& reader, const dsl::Node* value, const std::string& name, int64_t first);

  explicit operator bool() const { return !layers_.empty(); }
  bool contains(int64_t layer) const { return layers_.contains(layer); }

 private:
  std::set<int64_t> layers_;  // from 0
};

/// The map at `key`, or null where it is absent or, diagnosed, no map. Warns of its keys that are not `known`.
const dsl::Node* section(ConfigReader& reader, const std::string& key, Words known);

}  // namespace planner::hf
