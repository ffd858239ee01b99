#include "cli/input/json_object.h"

#include <charconv>
#include <cmath>

#include "cli/args/words.h"

namespace cli {
namespace {

const dsl::Node kNothing;

template <class T> std::optional<T> read_number(const dsl::Node& node) {
  if (node.kind != dsl::Node::Kind::scalar || node.quoted) return std::nullopt;
  return number_in<T>(node.text);
}

std::string quoted(const char* key) { return "'" + std::string(key) + "'"; }

}  // namespace

std::optional<double> json_number(const dsl::Node& node) {
  const std::optional<double> value = read_number<double>(node);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<int64_t> json_whole(const dsl::Node& node) { return read_number<int64_t>(node); }

void JsonObject::wrong(dsl::Span place, const std::string& message, const std::string& hint) const {
  if (good()) diagnostics_.error(place, message, hint);
}

const dsl::Node* JsonObject::member(const char* key) const {
  const dsl::Node* found = node_.find(key);
  if (!found) wrong(node_.span, "expected a member " + quoted(key) + " here");
  return found;
}

dsl::Span JsonObject::place(const char* key) const {
  const dsl::Node* found = node_.find(key);
  return (found ? *found : node_).span;
}

JsonObject JsonObject::object(const char* key) const {
  const dsl::Node* found = member(key);
  if (found && found->kind != dsl::Node::Kind::map) wrong(found->span, "expected an object for " + quoted(key));
  return {found ? *found : kNothing, diagnostics_};
}

const std::vector<dsl::Node>& JsonObject::list(const char* key) const {
  const dsl::Node* found = member(key);
  if (found && found->kind != dsl::Node::Kind::list) wrong(found->span, "expected a list for " + quoted(key));
  return (found ? *found : kNothing).items;
}

double JsonObject::number(const char* key) const {
  const dsl::Node* found = member(key);
  const std::optional<double> value = found ? json_number(*found) : std::nullopt;
  if (found && !value) wrong(found->span, "expected a number for " + quoted(key));
  return value.value_or(0);
}

std::optional<double> JsonObject::number_or_null(const char* key) const {
  const dsl::Node* found = member(key);
  if (!found || found->kind == dsl::Node::Kind::null) return std::nullopt;
  return number(key);
}

int64_t JsonObject::whole(const char* key, int64_t least) const {
  const dsl::Node* found = member(key);
  const std::optional<int64_t> value = found ? json_whole(*found) : std::nullopt;
  if (value && *value >= least) return *value;
  if (found) wrong(found->span, "expected a whole number from " + std::to_string(least) + " for " + quoted(key));
  return least;
}

bool JsonObject::flag(const char* key) const {
  const dsl::Node* found = member(key);
  const bool good = found && !found->quoted && (found->text == "true" || found->text == "false");
  if (found && !good) wrong(found->span, "expected true or false for " + quoted(key));
  return good && found->text == "true";
}

std::string JsonObject::text(const char* key) const {
  const dsl::Node* found = member(key);
  if (found && !found->quoted) wrong(found->span, "expected a text for " + quoted(key));
  return found ? found->text : "";
}

}  // namespace cli
