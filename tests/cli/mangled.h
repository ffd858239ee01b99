// A document that a command printed, with one mistake each: a member is gone, or its value is of another kind.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// One text for each member at any depth without that member, and one for each value of another kind in its place.
inline std::vector<std::string> mangled(const nlohmann::ordered_json& document) {
  using Json = nlohmann::ordered_json;
  std::vector<std::string> texts;
  Json changed = document;
  const auto walk = [&](const auto& self, Json& at) -> void {
    if (at.is_array() && !at.empty()) self(self, at.front());
    if (!at.is_object()) return;
    std::vector<std::string> keys;
    for (const auto& [key, value] : at.items()) keys.push_back(key);
    for (const std::string& key : keys) {
      const Json kept = at;
      at.erase(key);
      texts.push_back(changed.dump());
      for (const char* other : {"null", "\"x\"", "-1", "1e30", "[]", "{}", "true"}) {
        at = kept;
        at[key] = Json::parse(other);
        texts.push_back(changed.dump());
      }
      at = kept;
      self(self, at[key]);
    }
  };
  walk(walk, changed);
  return texts;
}
