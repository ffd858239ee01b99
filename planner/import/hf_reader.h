// One configuration on its way to a model.
#pragma once

#include <set>
#include <string>

#include "dsl/node.h"
#include "planner/import/hf_table.h"

namespace planner::hf {

class ConfigReader {
 public:
  ConfigReader(const dsl::Node& config, const Architecture& architecture, const dsl::Span& place,
               dsl::Diagnostics& diagnostics)
      : config_(config), architecture_(architecture), place_(place), diagnostics_(diagnostics) {}

  void read_keys(std::span<const Key> keys);
  void put_facts(std::span<const Fact> facts);
  /// Returns the key's value, or null where it is absent or null; from now on it counts as known.
  const dsl::Node* find(const std::string& key);
  /// Returns the value as a whole number; diagnosed and 0 where it is none.
  int64_t whole(const dsl::Node& value);
  bool is_true(const std::string& key);

  /// Puts a field that follows from the key.
  void put(const char* field, std::string text, const std::string& key);
  void drop(const char* field);
  /// Where the key's value stands, or the architecture's name; and how a comment names it.
  dsl::Span place_of(const std::string& key) const;
  std::string source_of(const std::string& key) const;
  /// An error at the key's value.
  void error(const std::string& key, const std::string& message, const std::string& hint = {});
  int64_t layers();

  void warn(const std::string& key, const std::string& message);
  /// Warns of the keys that nobody knows.
  void warn_unknown();

  dsl::Node model;

 private:
  void read_key(const Key& row);
  void put_value(const Key& row, const std::string& key, const dsl::Node& value);
  bool has_no_effect(const dsl::Entry& entry) const;

  const dsl::Node& config_;
  const Architecture& architecture_;
  dsl::Span place_;  // of the architecture's name
  dsl::Diagnostics& diagnostics_;
  std::set<std::string> known_;
};

}  // namespace planner::hf
