#include "planner/resolve/layout_policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "dsl/node_path.h"
#include "dsl/raw_text.h"
#include "dsl/read_builtin.h"

namespace planner {
namespace {

using dsl::Node;

constexpr const char* kSection = "parallelism.";
constexpr const char* kOfARun = "of_a_run";

bool says(const std::optional<Node>& node, std::string_view word) {
  return node && node->kind == Node::Kind::scalar && node->text == word;
}

bool is_no(const std::optional<Node>& node) { return says(node, "false") || (node && node->kind == Node::Kind::null); }

bool has_choices(const OpenScenario& open) {
  return std::ranges::any_of(
      open.space.items(), [](const dsl::OpenItem& item) { return item.is_choice && item.path.starts_with(kSection); });
}

/// Rows of a policy's `open`, or of a profile's `layout`.
class LayoutRowReader {
 public:
  LayoutRowReader(std::vector<OpenedField>& rows, dsl::Diagnostics& diagnostics)
      : rows_(rows), diagnostics_(diagnostics) {}

  void read(const Node& map) {
    if (map.broken || map.kind == Node::Kind::null) return;
    if (map.kind != Node::Kind::map)
      return diagnostics_.error(map.span, "expected fields and their values, such as parallelism.tp: pow2(1, 8)");
    for (const dsl::Entry& e : map.entries) row(e);
  }

 private:
  void row(const dsl::Entry& e) {
    if (!is_field(e.key)) return unknown(e);
    if (e.value.kind != Node::Kind::scalar || e.value.text.empty())
      return diagnostics_.error(e.value.span.source ? e.value.span : e.key_span,
                                fmt::format("expected an expression of the values of {}", e.key),
                                "a list stands in quotes: '[0, 1]'");
    OpenedField field{e.key, e.value.text, e.value.comment};
    const auto same = std::ranges::find(rows_, e.key, &OpenedField::path);
    if (same != rows_.end()) *same = std::move(field);
    else rows_.push_back(std::move(field));
  }
  static bool is_field(const std::string& path) {
    return std::ranges::find(scenario_schema(), path, &dsl::Field::path) != scenario_schema().end();
  }
  void unknown(const dsl::Entry& e) {
    std::vector<std::string> known;
    for (const dsl::Field& f : scenario_schema())
      if (f.path.starts_with(kSection) || f.path.starts_with("goal.")) known.push_back(f.path);
    diagnostics_.error(e.key_span, fmt::format("unknown field '{}'", dsl::shortened(e.key)),
                       dsl::did_you_mean(e.key, known));
  }

  std::vector<OpenedField>& rows_;
  dsl::Diagnostics& diagnostics_;
};

/// The policy's file; null: diagnosed.
const dsl::Source* policy_of(const std::optional<Node>& automatic, const ScenarioText& text,
                             dsl::Diagnostics& diagnostics) {
  const bool named = automatic && !says(automatic, "true");
  if (named && automatic->kind != Node::Kind::scalar) {
    diagnostics.error(automatic->span, "expected true, false or the name of a layout policy after 'auto'");
    return nullptr;
  }
  const std::string name = named ? automatic->text : kLayoutPolicy;
  const dsl::Source* naming = named ? automatic->span.source : &text.source;
  std::string why;
  const dsl::Source* file =
      dsl::find_source(text.catalog, "layout-policy", name, naming->directory, text.sources, why, naming);
  if (!file)
    diagnostics.error(automatic ? automatic->span : dsl::Span{}, why,
                      dsl::did_you_mean(name, dsl::catalog_names(text.catalog, "layout-policy")));
  return file;
}

/// Whether there is anything to open.
bool asks(const OpenScenario& open, Opens opens) {
  if (opens == Opens::written) return true;
  const std::optional<Node>& automatic = open.layout.automatic;
  if (is_no(automatic)) return false;
  return automatic || (opens == Opens::unwritten && !has_choices(open));
}

/// A profile's rows, and those of a run that is known.
void read_software(Node layout, Opens opens, LayoutRowReader& reader) {
  const std::optional<Node> of_a_run = take_at(layout, kOfARun);
  reader.read(layout);
  if (of_a_run && opens == Opens::written) reader.read(*of_a_run);
}

/// The fields that stay: those of the text and its overrides, or of the overrides alone.
Node kept_fields(const ScenarioText& text, Opens opens) {
  if (opens != Opens::written) return own_tree(text);
  const dsl::Source nothing{text.source.name, "{}", text.source.directory};
  return own_tree({text.sources.emplace_back(nothing), text.overrides, text.catalog, text.sources});
}

}  // namespace

LayoutWords take_layout(Node& tree) {
  return {.automatic = take_at(tree, "parallelism.auto"), .software = take_at(tree, "software.layout")};
}

void refuse_automatic(const LayoutWords& words, dsl::Diagnostics& diagnostics) {
  if (!words.automatic || is_no(words.automatic)) return;
  diagnostics.error(words.automatic->span, "the layout is left to a search: 'auto'",
                    "--pick best takes the best one, `trainplan search` lists more; --set parallelism.auto=false plans "
                    "what is written");
}

std::vector<OpenedField> fields_to_open(const OpenScenario& open, const ScenarioText& text, Opens opens,
                                        dsl::Diagnostics& diagnostics) {
  const std::optional<Node>& automatic = open.layout.automatic;
  if (!asks(open, opens)) return {};
  const dsl::Source* file = policy_of(is_no(automatic) ? std::nullopt : automatic, text, diagnostics);
  if (!file) return {};
  std::vector<OpenedField> rows;
  LayoutRowReader reader(rows, diagnostics);
  const Node tree = dsl::tree_of(*file, diagnostics);
  const Node* opened = tree.kind == Node::Kind::map ? tree.find("open") : nullptr;
  if (opened) reader.read(*opened);
  else if (!tree.broken)
    diagnostics.error({file, 1, 1, 0}, fmt::format("'{}' opens nothing", file->name), "write 'open:' above its fields");
  if (open.layout.software) read_software(*open.layout.software, opens, reader);
  const Node kept = kept_fields(text, opens);
  std::erase_if(rows, [&](const OpenedField& row) { return node_at(kept, row.path) != nullptr; });
  return rows;
}

std::vector<std::string> sets_of(const std::vector<OpenedField>& fields) {
  std::vector<std::string> sets{kLayoutSaid};
  for (const OpenedField& field : fields) sets.push_back(field.path + "=" + field.values);
  return sets;
}

}  // namespace planner
