#include "planner/resolve/alternatives.h"

#include <fmt/format.h>

#include <algorithm>

#include "dsl/node_path.h"
#include "planner/resolve/prices.h"

namespace planner {
namespace {

using dsl::Node;

/// The names of one list; empty: diagnosed.
std::vector<const Node*> names_of(const Node& list, const std::string& path, dsl::Diagnostics& diagnostics) {
  std::vector<const Node*> names;
  for (const Node& item : list.items) {
    if (item.kind != Node::Kind::scalar || item.text.empty()) {
      diagnostics.error(item.span, fmt::format("expected the name of an entry or a file in the list of {}", path));
      return {};
    }
    if (std::ranges::any_of(names, [&](const Node* name) { return name->text == item.text; })) {
      diagnostics.error(item.span, fmt::format("'{}' is twice in the list of {}", item.text, path));
      return {};
    }
    names.push_back(&item);
  }
  if (names.empty()) diagnostics.error(list.span, fmt::format("the list of {} is empty", path));
  return names;
}

void multiply(std::vector<UsedEntries>& all, const std::string& path, const std::vector<const Node*>& names) {
  std::vector<UsedEntries> out;
  for (const UsedEntries& before : all)
    for (const Node* name : names) {
      UsedEntries next = before;
      next.uses.push_back({path + "=" + name->text, name->span});
      next.name += (next.name.empty() ? "" : ", ") + name->text;
      out.push_back(std::move(next));
    }
  all = std::move(out);
}

/// A file that several use is read for each of them.
bool is_alike(const dsl::Diagnostic& a, const dsl::Diagnostic& b) {
  const auto name = [](const dsl::Diagnostic& d) { return d.span.source ? d.span.source->name : ""; };
  return a.severity == b.severity && a.message == b.message && name(a) == name(b) && a.span.line == b.span.line &&
         a.span.column == b.span.column;
}

}  // namespace

std::vector<UsedEntries> alternatives_of(const ScenarioText& text, dsl::Diagnostics& diagnostics) {
  const Node written = own_tree(text);
  std::vector<UsedEntries> all(1);
  for (const dsl::Pull& pull : scenario_pulls()) {
    if (pull.path.ends_with("[]")) continue;  // items of a list are no choices
    const std::string path = pull.path + ".use";
    const Node* use = node_at(written, path);
    if (!use || use->kind != Node::Kind::list) continue;
    const std::vector<const Node*> names = names_of(*use, path, diagnostics);
    if (names.empty()) return {};
    multiply(all, path, names);
  }
  return all;
}

std::vector<dsl::Override> overrides_of(const ScenarioText& text, const UsedEntries& alternative) {
  std::vector<dsl::Override> all = text.overrides;
  all.insert(all.end(), alternative.uses.begin(), alternative.uses.end());
  return all;
}

void tell_once(const std::vector<dsl::Diagnostics>& of_each, dsl::Diagnostics& diagnostics) {
  const auto has_unused = [](const dsl::Diagnostics& d) { return std::ranges::any_of(d.list, is_unused_list); };
  const bool unused_by_all = std::ranges::all_of(of_each, has_unused);
  for (const dsl::Diagnostics& told : of_each)
    for (const dsl::Diagnostic& d : told.list) {
      const bool known =
          std::ranges::any_of(diagnostics.list, [&](const dsl::Diagnostic& k) { return is_alike(k, d); });
      if (!known && (unused_by_all || !is_unused_list(d))) diagnostics.list.push_back(d);
    }
}

}  // namespace planner
