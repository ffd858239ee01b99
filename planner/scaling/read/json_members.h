// Checks of values for the readers of JSON; each mistake is diagnosed at its place.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dsl/node.h"

namespace planner::scaling {

class JsonMembers {
 public:
  explicit JsonMembers(dsl::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  bool is_map(const dsl::Node& node);
  bool is_list(const dsl::Node& node);
  /// Returns the value of a key; nullptr if absent (diagnosed).
  const dsl::Node* member(const dsl::Node& map, const char* key);
  const dsl::Node* list(const dsl::Node& map, const char* key);
  std::optional<double> number(const dsl::Node& node);
  std::optional<std::string> text(const dsl::Node& node);
  /// Returns the numbers of a list, or of one number.
  std::optional<std::vector<double>> numbers(const dsl::Node& node);
  /// Returns false if the map has a key outside `keys`; each such key is reported once.
  bool only(const dsl::Node& map, const std::vector<std::string>& keys);

 private:
  dsl::Diagnostics& diagnostics_;
  std::set<std::string> told_;
};

}  // namespace planner::scaling
