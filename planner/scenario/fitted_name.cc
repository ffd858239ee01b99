#include "planner/scenario/fitted_name.h"

#include <algorithm>
#include <filesystem>

#include "dsl/node_path.h"
#include "dsl/raw_text.h"

namespace planner {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kName = "pmnf";

/// The first `wanted` outside quotes, or npos; an open quote reaches to the end.
size_t find_plain(std::string_view text, char wanted) {
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!quote && text[i] == wanted) return i;
    if (text[i] == quote) quote = 0;
    else if (!quote && (text[i] == '\'' || text[i] == '"')) quote = text[i];
  }
  return std::string_view::npos;
}

bool is_quoted(std::string_view text) {
  return text.size() >= 2 && (text[0] == '\'' || text[0] == '"') && text.find(text[0], 1) == text.size() - 1;
}

std::string unquoted(std::string_view text) {
  text = dsl::trimmed(text);
  return std::string(is_quoted(text) ? text.substr(1, text.size() - 2) : text);
}

/// A name with both kinds of quotes cannot be written again: quoted text must not contain its own quote.
bool has_both_quotes(std::string_view text) {
  return text.find('\'') != std::string_view::npos && text.find('"') != std::string_view::npos;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",=()'\"") == std::string::npos && dsl::trimmed(text) == text) return text;
  const char quote = text.find('\'') == std::string::npos ? '\'' : '"';
  return quote + text + quote;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t comma = find_plain(text, ','); comma != std::string_view::npos; comma = find_plain(text, ',')) {
    parts.push_back(dsl::trimmed(text.substr(0, comma)));
    text.remove_prefix(comma + 1);
  }
  parts.push_back(dsl::trimmed(text));
  return parts;
}

/// The text between the brackets; nullopt: they do not match.
std::optional<std::string_view> inside(std::string_view text) {
  text = dsl::trimmed(text.substr(kName.size()));
  if (text.size() < 2 || text.front() != '(') return std::nullopt;
  text.remove_prefix(1);
  if (find_plain(text, ')') != text.size() - 1 || find_plain(text, '(') != std::string_view::npos) return std::nullopt;
  return text.substr(0, text.size() - 1);
}

/// An argument behind the file.
bool take(std::string_view argument, FittedName& name, std::string& why) {
  if (const size_t equals = find_plain(argument, '='); equals != std::string_view::npos) {
    const std::string parameter = unquoted(argument.substr(0, equals));
    const bool twice = std::ranges::any_of(name.features, [&](const auto& f) { return f.first == parameter; });
    if (twice) return why = "the parameter '" + parameter + "' has two features", false;
    name.features.emplace_back(parameter, unquoted(argument.substr(equals + 1)));
    return !name.features.back().second.empty() || (why = "'" + parameter + "=' names no feature", false);
  }
  if (name.callpath) return why = "a model has one call path, not '" + *name.callpath + "' and another", false;
  name.callpath = unquoted(argument);
  return true;
}

void rebase(dsl::Node& node) {
  for (dsl::Node& item : node.items) rebase(item);
  if (node.kind != dsl::Node::Kind::scalar || !names_fitted(node.text) || !node.span.source) return;
  std::string ignored;
  std::optional<FittedName> name = parse_fitted(node.text, ignored);
  if (!name) return;
  name->file = (fs::path(node.span.source->directory) / name->file).lexically_normal().string();
  node.text = text(*name);
}

}  // namespace

bool names_fitted(std::string_view text) {
  text = dsl::trimmed(text);
  return text.starts_with(kName) && (text.size() == kName.size() || !dsl::is_name_char(text[kName.size()]));
}

std::optional<FittedName> parse_fitted(std::string_view text, std::string& why) {
  const std::optional<std::string_view> arguments = inside(dsl::trimmed(text));
  if (!arguments) return why = "expected pmnf(FILE[, CALLPATH][, PARAMETER=FEATURE]...)", std::nullopt;
  const std::vector<std::string_view> parts = split(*arguments);
  if (std::ranges::any_of(parts, [](std::string_view part) { return unquoted(part).empty(); }))
    return why = parts.size() == 1 ? "pmnf() names no file" : "an argument of pmnf(...) is empty", std::nullopt;
  FittedName name{.file = unquoted(parts[0]), .callpath = {}, .features = {}};
  for (size_t i = 1; i < parts.size(); ++i)
    if (!take(parts[i], name, why)) return std::nullopt;
  bool both = has_both_quotes(name.file) || has_both_quotes(name.callpath.value_or(""));
  for (const auto& [parameter, feature] : name.features)
    both = both || has_both_quotes(parameter) || has_both_quotes(feature);
  if (both) return why = "a name has one kind of quotes, ' or \"", std::nullopt;
  return name;
}

std::string text(const FittedName& name) {
  std::string out = std::string(kName) + "(" + quoted(name.file);
  if (name.callpath) out += ", " + quoted(*name.callpath);
  for (const auto& [parameter, feature] : name.features) out += ", " + quoted(parameter) + "=" + quoted(feature);
  return out + ")";
}

void rebase_fitted(dsl::Node& tree) {
  if (dsl::Node* models = node_at(tree, "operator_models"))
    for (dsl::Entry& model : models->entries) rebase(model.value);
}

}  // namespace planner
