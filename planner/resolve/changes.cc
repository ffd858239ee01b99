#include "planner/resolve/changes.h"

#include <algorithm>

#include "dsl/merge.h"
#include "dsl/node_path.h"
#include "dsl/schema_tree.h"
#include "planner/scenario/scenario.h"
#include "planner/scenario/vocabulary.h"

namespace planner {
namespace {

const dsl::Field* field_at(const std::string& path) {
  const auto field = std::ranges::find(scenario_schema(), path, &dsl::Field::path);
  return field == scenario_schema().end() ? nullptr : &*field;
}

bool is_number(const dsl::Field& field) {
  using enum dsl::Type;
  return field.type == count || field.type == number || field.type == quantity || field.type == expression;
}

/// "cluster.network[1].bandwidth" of cluster.network.infiniband.bandwidth: items of a list by their names.
std::string item_path(dsl::Node& tree, const dsl::ParsedOverride& parsed) {
  std::string path;
  dsl::Node* at = &tree;
  for (const dsl::ParsedOverride::PathStep& step : parsed.path) {
    int64_t index = step.index;
    if (dsl::Node* item = at && at->kind == dsl::Node::Kind::list ? dsl::item_named(*at, step.key) : nullptr) {
      index = item - at->items.data();
    } else {
      path = dsl::path_below(path, step.key);
      at = at ? dsl::node_at(*at, step.key) : nullptr;
    }
    if (index < 0) continue;
    path += "[" + std::to_string(index) + "]";
    at = at && index < std::ssize(at->items) ? &at->items[static_cast<size_t>(index)] : nullptr;
  }
  return path;
}

void change(dsl::Node& tree, dsl::ParsedOverride parsed, dsl::Diagnostics& diagnostics) {
  const std::string path = item_path(tree, parsed);
  const dsl::Field* field = field_at(path);
  const bool is_there = node_at(tree, path);
  // A list of machines has some without a price.
  if (!is_there && field && field->optional && is_number(*field) && path.starts_with("cluster."))
    return diagnostics.warning(parsed.path.front().span, path + " has no value to change", "it stays without one");
  if (field && !is_number(*field))
    return diagnostics.error(parsed.path.front().span, path + " is not a number: only numbers can be changed",
                             "write '='");
  if (!is_there && field && !field->otherwise.empty()) {
    dsl::ParsedOverride usual{.path = parsed.path, .value = parsed.value};
    usual.value.text = field->otherwise;
    dsl::apply_override(tree, usual, true, diagnostics);
  }
  if (!is_there && !field) parsed.change = 0;  // reported as unknown
  dsl::apply_override(tree, parsed, true, diagnostics);
}

}  // namespace

void apply_changes(dsl::Node& tree, const ScenarioText& text, dsl::Diagnostics& diagnostics) {
  for (size_t i = 0; i < text.overrides.size(); ++i) {
    const dsl::Override& o = text.overrides[i];
    if (o.value || !dsl::change_sign(o.text)) continue;
    const dsl::Source& source = text.sources.emplace_back(dsl::Source{"--set", o.text, "", i});
    dsl::ParsedOverride parsed;
    if (dsl::parse_override(source, parsed, diagnostics, vocabulary().override_example))
      change(tree, std::move(parsed), diagnostics);
  }
}

}  // namespace planner
