// A small validator of JSON Schema: the keywords that `trainplan schema` uses and those of contract_shape.h, no others.
#pragma once

#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "dsl/node.h"

/// A YAML tree as JSON, plain scalars by the rules of YAML 1.2's core schema.
inline nlohmann::json yaml_as_json(const dsl::Node& node) {
  using nlohmann::json;
  if (node.kind == dsl::Node::Kind::null) return nullptr;
  json out = node.kind == dsl::Node::Kind::list ? json::array() : json::object();
  for (const dsl::Node& item : node.items) out.push_back(yaml_as_json(item));
  for (const dsl::Entry& e : node.entries) out[e.key] = yaml_as_json(e.value);
  if (node.kind != dsl::Node::Kind::scalar) return out;
  static const std::regex number(R"([-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?)");
  if (!node.quoted && std::regex_match(node.text, number)) return std::stod(node.text);
  if (!node.quoted && (node.text == "true" || node.text == "false")) return node.text == "true";
  return node.text;
}

inline bool has_type(const nlohmann::json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "number") return value.is_number();
  if (type == "integer") return value.is_number_integer();
  if (type == "boolean") return value.is_boolean();
  return type == "null" && value.is_null();
}

/// The mistake in `value`, as "path: why"; "" if it is valid.
inline std::string schema_error(const nlohmann::json& schema, const nlohmann::json& value,
                                const std::string& path = "") {
  if (schema.is_boolean()) return schema.get<bool>() ? "" : path + ": unknown key";
  if (schema.contains("type")) {
    bool any = false;
    for (const auto& t : schema["type"].is_array() ? schema["type"] : nlohmann::json::array({schema["type"]}))
      any = any || has_type(value, t);
    if (!any) return path + ": expected " + schema["type"].dump();
  }
  if (schema.contains("enum") && std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
    return path + ": none of " + schema["enum"].dump();
  if (value.is_number() && schema.contains("minimum") && value < schema["minimum"]) return path + ": too small";
  if (value.is_number() && schema.contains("maximum") && value > schema["maximum"]) return path + ": too large";
  if (value.is_string() && schema.contains("pattern") &&
      !std::regex_search(value.get<std::string>(), std::regex(schema["pattern"].get<std::string>())))
    return path + ": does not match " + schema["pattern"].dump();
  if (schema.contains("anyOf")) {
    std::string why = path + ": none of the forms";
    for (const auto& form : schema["anyOf"])
      if (schema_error(form, value, path).empty()) why = "";
    if (!why.empty()) return why;
  }
  if (value.is_array() && schema.contains("items"))
    for (const auto& item : value)
      if (std::string why = schema_error(schema["items"], item, path + "[]"); !why.empty()) return why;
  if (!value.is_object()) return "";
  if (schema.contains("required"))
    for (const auto& key : schema["required"])
      if (!value.contains(key.get<std::string>())) return path + "." + key.get<std::string>() + ": missing";
  const nlohmann::json none = nlohmann::json::object();
  const auto& properties = schema.contains("properties") ? schema["properties"] : none;
  for (const auto& [key, member] : value.items()) {
    const nlohmann::json others = schema.value("additionalProperties", nlohmann::json(true));
    const auto& rule = properties.contains(key) ? properties[key] : others;
    if (std::string why = schema_error(rule, member, path + "." + key); !why.empty()) return why;
  }
  return "";
}
