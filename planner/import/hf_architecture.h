// The types of the table of Hugging Face architectures, and keys that no plan depends on (hf_harmless.cc).
#pragma once

#include <set>
#include <span>
#include <string>

namespace planner::hf {

class ConfigReader;

enum class KeyMeaning {
  value,
  activation,
  of_hidden,  // a multiple of the width
  negated     // true where the key is false
};

/// A key of a configuration and the field of the model that it becomes.
struct ConfigKey {
  const char* key;                  // "a|b": the first of them that is there and not null
  const char* field;                // "experts.count"
  const char* otherwise = nullptr;  // without the key; kNeeded: an error, null: the field's own default
  KeyMeaning meaning = KeyMeaning::value;
};
using Keys = std::span<const ConfigKey>;
inline constexpr const char* kNeeded = "!";

/// A fact of an architecture that its configurations do not contain.
struct ModelFact {
  const char *field, *value;
};
using Facts = std::span<const ModelFact>;

/// A key without an effect on the plan where it has this value.
struct HarmlessKey {
  const char *key, *value;
};

struct Architecture {
  const char* name;        // in `architectures`
  const char* model_type;  // for a configuration without `architectures`
  const char* family;      // of configurations with this type; "": `more` sets it, or nothing does
  Keys shape, keys;
  Facts style = {}, facts = {};
  void (*more)(ConfigReader&) = nullptr;  // reads values that depend on several keys
  const char* inside = "";                // the language model's configuration is the value of this key
  Keys routed = {};                       // keys of experts that several architectures share
  const char* tied = "false";             // embeddings, where `tie_word_embeddings` is absent; null: `keys` say it
};

/// Returns the keys without an effect on the plan.
const std::set<std::string, std::less<>>& harmless();
std::span<const HarmlessKey> harmless_at();

}  // namespace planner::hf
