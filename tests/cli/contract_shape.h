// The shape of a document in short, as a JSON Schema that allows no other key and misses none.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

/// A shape is JSON. "number", "integer", "string", "boolean", "object", "any": a type, with "?" behind it where null is
/// allowed too; "=word": that word. {"key": shape}: an object with these keys, a key with "?" behind it may be absent.
/// {"*": shape}: an object with any keys. [shape]: a list. ["?", shape]: the shape or null.
inline nlohmann::json schema_of_shape(const nlohmann::json& shape) {
  using nlohmann::json;
  if (shape.is_string()) {
    std::string type = shape.get<std::string>();
    if (type == "any") return true;
    if (type.starts_with("=")) return {{"enum", json::array({type.substr(1)})}};
    const bool optional = type.ends_with("?");
    if (optional) type.pop_back();
    return {{"type", optional ? json::array({type, "null"}) : json::array({type})}};
  }
  if (shape.is_array() && shape.size() == 2)
    return {{"anyOf", json::array({json{{"type", "null"}}, schema_of_shape(shape[1])})}};
  if (shape.is_array()) return {{"type", "array"}, {"items", schema_of_shape(shape[0])}};
  json out{
      {"type", "object"}, {"properties", json::object()}, {"required", json::array()}, {"additionalProperties", false}};
  for (const auto& [written, inner] : shape.items()) {
    if (written == "*") return {{"type", "object"}, {"additionalProperties", schema_of_shape(inner)}};
    const bool optional = written.ends_with("?");
    const std::string key = optional ? written.substr(0, written.size() - 1) : written;
    if (!optional) out["required"].push_back(key);
    out["properties"][key] = schema_of_shape(inner);
  }
  return out;
}
