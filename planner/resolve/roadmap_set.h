// The changes of a roadmap's step: expressions over the base scenario, evaluated to values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "planner/scenario/scenario.h"

namespace planner {

/// One field with the value that a step gives it, and where that is written.
struct RoadmapSet {
  std::string path;
  dsl::Value value;
  dsl::Span place;
};

/// Returns the field and value as `--set` takes them, but with their own place for messages.
dsl::Override override_of(const RoadmapSet& set);

/// Holds the base scenario, for expressions of steps. Paths name tiers by index, by name, or as `intra_node` and
/// `inter_node`; a path step `*` matches all items or keys that the base has there.
class RoadmapBase {
 public:
  /// REQUIRES: both outlive it.
  RoadmapBase(const OpenScenario& base, dsl::Diagnostics& diagnostics);

  /// Adds `path: value`; a map names fields below the path. Mistakes are diagnosed, types and limits left to the field.
  void set(const std::string& path, dsl::Span place, const dsl::Node& value, std::vector<RoadmapSet>& out);
  /// Adds the base's value times `factor`, an expression, to the power of `times`; fields below a `*` that are not set
  /// stay.
  void scale(const std::string& path, dsl::Span place, const dsl::Node& factor, int times,
             std::vector<RoadmapSet>& out);
  /// Returns a plain number; nullopt: it is not one (diagnosed).
  std::optional<double> number(const dsl::Node& node);

 private:
  std::optional<dsl::Value> evaluate(const dsl::Node& node);
  std::optional<dsl::Value> base_value(const std::string& name, dsl::Span place);
  bool is_open(std::string_view name) const;
  /// Returns a value as the field would read it; nullopt: it cannot (diagnosed).
  std::optional<dsl::Value> value_of(const std::string& path, const dsl::Node& node);
  /// Returns the fields that a path with `*` means, or the path itself.
  std::vector<std::string> expanded(const std::string& path) const;
  bool lacks_tier(const std::string& path) const;
  bool known(const std::string& path, dsl::Span place);
  std::string names_of_items(const std::string& path) const;
  bool fits(const std::string& path, const dsl::Value& value, dsl::Span place);

  const OpenScenario& base_;
  dsl::Diagnostics& diagnostics_;
  std::vector<std::string> names_;  // of all fields
};

}  // namespace planner
