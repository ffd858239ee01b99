// The known architectures of Hugging Face configurations: one row each (hf_table.cc).
#pragma once

#include <set>
#include <span>
#include <string>

namespace planner::hf {

class ConfigReader;

enum class Kind {
  value,
  activation,
  of_hidden,  // a multiple of the width
  negated     // true where the key is false
};

/// A key of a configuration and the field of the model that it becomes.
struct Key {
  const char* key;                  // "a|b": the first of them that is there and not null
  const char* field;                // "experts.count"
  const char* otherwise = nullptr;  // without the key; kNeeded: an error, null: the field's own default
  Kind kind = Kind::value;
};
inline constexpr const char* kNeeded = "!";

/// A fact of an architecture that its configurations do not say.
struct Fact {
  const char *field, *value;
};

/// A key without an effect on the plan where it has this value.
struct Harmless {
  const char *key, *value;
};

struct Architecture {
  const char* name;        // in `architectures`
  const char* model_type;  // for a configuration without `architectures`
  const char* family;      // of configurations with this type; "": `more` tells, or nothing does
  std::span<const Key> shape, keys;
  std::span<const Fact> style, facts;
  void (*more)(ConfigReader&) = nullptr;  // what takes more than a key
  const char* inside = "";                // the language model's configuration is the value of this key
  std::span<const Key> routed = {};       // keys of experts that several architectures share
};

std::span<const Architecture> architectures();
/// Returns the keys without an effect on the plan.
const std::set<std::string, std::less<>>& harmless();
std::span<const Harmless> harmless_at();

}  // namespace planner::hf
