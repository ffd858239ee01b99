// One configuration on its way to a model.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "dsl/node.h"
#include "planner/import/hf_architecture.h"
#include "planner/import/layer_draft.h"

namespace planner::hf {

class ConfigReader {
 public:
  ConfigReader(const dsl::Node& config, const Architecture& architecture, const dsl::Span& place,
               dsl::Diagnostics& diagnostics)
      : config_(config), architecture_(architecture), place_(place), diagnostics_(diagnostics) {}

  void read_keys(Keys keys);
  void put_facts(Facts facts);
  /// Returns the key's value, or null where it is absent or null; from now on it counts as known.
  const dsl::Node* find(const std::string& key);
  /// Returns the value as a whole number; otherwise diagnosed, and 0.
  int64_t whole(const dsl::Node& value);
  /// Whether it is a whole number; diagnosed where it is not.
  bool is_whole(const dsl::Node& value);
  /// As `whole`; diagnosed and 1 where it is 0 or none.
  int64_t positive(const dsl::Node& value);
  /// The whole number at the key; `otherwise` where it is absent, or "auto".
  int64_t whole_at(const std::string& key, int64_t otherwise);
  int64_t positive_at(const std::string& key, int64_t otherwise);
  /// As `find`; null for an empty list, too.
  const dsl::Node* filled(const std::string& key);
  /// Returns a whole number of the model; 0 where it is not there.
  int64_t count(const char* field) const;
  bool is_false(const std::string& key);
  /// Whether the key is true; diagnosed where it is neither true nor false.
  bool is_true(const std::string& key);

  /// Puts a field that follows from the key.
  void put(const char* field, std::string text, const std::string& key);
  void drop(const char* field);
  /// Puts `kinds` and `pattern`. `key`: of the configuration that lists the layers.
  void put_layers(const std::vector<LayerDraft>& layers, const std::string& key,
                  const std::vector<LayerDraft>& predicted = {});
  /// The place of the key's value, or of the architecture's name; and its name in a comment.
  dsl::Span place_of(const std::string& key) const;
  std::string source_of(const std::string& key) const;
  /// Reports an error at the key's value, once.
  void error(const std::string& key, const std::string& message, const std::string& hint = {});
  /// Reports an error at a value, once.
  void error_at(const dsl::Node& value, const std::string& message, const std::string& hint = {});
  int64_t layers() const { return count("layers"); }

  void warn(const std::string& key, const std::string& message);
  /// Warns of unknown keys, and returns them.
  std::vector<std::string> warn_unknown();
  /// Warns of the keys of the map `name` that are not `known`.
  void warn_unread(const dsl::Node& map, const std::string& name, std::span<const char* const> known);
  /// Of the keys that the architecture's rows name: how many the configuration has and lacks, and those that it needs.
  int shared() const { return shared_; }
  int lacked() const { return lacked_; }
  const std::vector<std::string>& missing() const { return missing_; }

  dsl::Node model;

 private:
  void read_key(const ConfigKey& row);
  void put_value(const ConfigKey& row, const std::string& key, const dsl::Node& value);
  bool has_no_effect(const dsl::Entry& entry) const;

  const dsl::Node& config_;
  const Architecture& architecture_;
  dsl::Span place_;  // of the architecture's name
  dsl::Diagnostics& diagnostics_;
  std::set<std::string> known_, told_keys_;
  int shared_ = 0, lacked_ = 0;
  std::vector<std::string> missing_;
  std::set<const dsl::Node*> told_;  // values with an error
};

}  // namespace planner::hf
