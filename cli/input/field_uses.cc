#include "cli/input/field_uses.h"

#include <algorithm>

#include "cli/input/catalogue.h"
#include "cli/input/examples.h"
#include "dsl/node_path.h"
#include "dsl/raw_text.h"
#include "dsl/read_builtin.h"
#include "planner/export/export.h"
#include "planner/scenario/scenario.h"

namespace cli {
namespace {

/// "[1, 2]" of a list, the text of a value; "" of a map.
std::string written_text(const dsl::Node& node) {
  if (node.kind != dsl::Node::Kind::list) return node.text;
  std::string items;
  for (const dsl::Node& item : node.items) items += (items.empty() ? "" : ", ") + item.text;
  return "[" + items + "]";
}

std::vector<FieldLine> examples_of(const std::string& path) {
  std::vector<FieldLine> out;
  for (const dsl::EmbeddedFile& file : example_files()) {
    if (!file.path.ends_with(".yaml")) continue;
    const dsl::Source source{std::string(file.path), std::string(file.text), ""};
    dsl::Diagnostics ignored;  // a test reads each example
    const dsl::Node tree = dsl::tree_of(source, ignored);
    const dsl::Node* node = dsl::node_at(tree, path);
    if (node && !written_text(*node).empty())
      out.push_back({"example:" + example_name(file), written_text(*node), node->span.line});
  }
  return out;
}

std::vector<std::string> entries_with(const std::string& path, Session& session) {
  std::vector<std::string> out;
  for (const EntryKind& kind : entry_kinds()) {
    const std::string section = first_item_path(kind.path) + ".";
    if (!kind.schema || !path.starts_with(section)) continue;
    for (const std::string& name : dsl::catalog_names(session.catalog, kind.name)) {
      std::string why;
      const dsl::Source* source = dsl::find_source(session.catalog, kind.name, name, "/", session.sources, why);
      dsl::Diagnostics ignored;  // `check` reports them
      if (source && dsl::node_at(dsl::tree_of(*source, ignored), path.substr(section.size())))
        out.push_back(std::string(kind.name) + "/" + name);
    }
  }
  return out;
}

std::vector<std::string> readers_of(const dsl::Field& field) {
  const auto names = [](std::string_view expression, std::string_view name) {
    return dsl::find_name(expression, name) != std::string_view::npos;
  };
  std::vector<std::string> out;
  for (const dsl::Field& f : planner::scenario_schema()) {
    if (f.path == field.path || f.type == dsl::Type::word) continue;
    if (names(f.otherwise, field.path) || (field.bare && names(f.otherwise, dsl::last_part(field.path))))
      out.push_back(f.path);
  }
  return out;
}

}  // namespace

FieldUses uses_of(const dsl::Field& field, Session& session) {
  const std::string path = first_item_path(field.path);
  return {examples_of(path), entries_with(path, session), readers_of(field), planner::settings_of_field(field.path)};
}

}  // namespace cli
