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
constexpr const char *kOfARun = "of_a_run", *kChanges = "changes", *kCan = "can";

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

/// Rows of `changes`.
class ChangeReader {
 public:
  ChangeReader(std::vector<ChangeRow>& rows, dsl::Diagnostics& diagnostics) : rows_(rows), diagnostics_(diagnostics) {}

  void read(const Node& list) {
    if (list.broken || list.kind == Node::Kind::null) return;
    if (list.kind != Node::Kind::list) return refuse(list);
    for (const Node& item : list.items) row(item);
  }

 private:
  void row(const Node& item) {
    const Node* sets = item.kind == Node::Kind::map ? item.find("set") : nullptr;
    if (!sets || sets->kind != Node::Kind::map) return refuse(item);
    ChangeRow row;
    LayoutRowReader(row.fields, diagnostics_).read(*sets);
    for (const dsl::Entry& e : item.entries) key(e, row);
    rows_.push_back(std::move(row));
  }
  void key(const dsl::Entry& e, ChangeRow& row) {
    if (e.key == "when") row.when = e.value.text;
    else if (e.key == "of") kind(e.value, row);
    else if (e.key != "set" && e.key != "source")
      diagnostics_.error(e.key_span, fmt::format("unknown key '{}' of a change", dsl::shortened(e.key)),
                         dsl::did_you_mean(e.key, {"when", "of", "set", "source"}));
  }
  void kind(const Node& word, ChangeRow& row) {
    const auto known = std::ranges::find(kChangeKinds, word.text, [](const char* name) { return std::string(name); });
    if (known != kChangeKinds.end()) row.kind = static_cast<ChangeKind>(known - kChangeKinds.begin());
    else
      diagnostics_.error(word.span, fmt::format("a change is not of '{}'", dsl::shortened(word.text)),
                         dsl::did_you_mean(word.text, {kChangeKinds.begin(), kChangeKinds.end()}));
  }
  void refuse(const Node& node) {
    diagnostics_.error(node.span, "expected a list of changes", "write '- set: {parallelism.zero: 3}'");
  }

  std::vector<ChangeRow>& rows_;
  dsl::Diagnostics& diagnostics_;
};

/// The policy's file; null: diagnosed.
const dsl::Source* policy_of(const std::optional<Node>& automatic, const ScenarioText& text,
                             dsl::Diagnostics& diagnostics) {
  if (is_no(automatic)) return policy_of(std::nullopt, text, diagnostics);
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

/// What a profile has in addition to its rows.
struct ProfileRows {
  std::optional<Node> of_a_run, changes, can;
};

ProfileRows read_software(Node layout, LayoutRowReader& reader) {
  ProfileRows more{take_at(layout, kOfARun), take_at(layout, kChanges), take_at(layout, kCan)};
  reader.read(layout);
  return more;
}

/// The policy's rows with the profile's in their place.
struct PolicyRows {
  std::vector<OpenedField> open;
  Node policy;
  ProfileRows software;
};

std::optional<PolicyRows> read_rows(const LayoutWords& words, const ScenarioText& text, dsl::Diagnostics& diagnostics) {
  const dsl::Source* file = policy_of(words.automatic, text, diagnostics);
  if (!file) return std::nullopt;
  PolicyRows rows{.open = {}, .policy = dsl::tree_of(*file, diagnostics), .software = {}};
  LayoutRowReader reader(rows.open, diagnostics);
  const Node* opened = rows.policy.kind == Node::Kind::map ? rows.policy.find("open") : nullptr;
  if (opened) reader.read(*opened);
  else if (!rows.policy.broken)
    diagnostics.error({file, 1, 1, 0}, fmt::format("'{}' opens nothing", file->name), "write 'open:' above its fields");
  if (words.software) rows.software = read_software(*words.software, reader);
  return rows;
}

/// A policy of one's own may leave them out.
void read_changes(const Node& policy, const ScenarioText& text, ChangeReader& reader, dsl::Diagnostics& diagnostics) {
  if (const Node* own = policy.find(kChanges)) return reader.read(*own);
  const dsl::Source* file = policy_of(std::nullopt, text, diagnostics);
  const Node usual = file ? dsl::tree_of(*file, diagnostics) : Node{};
  if (const Node* changes = usual.find(kChanges)) reader.read(*changes);
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
  if (!asks(open, opens)) return {};
  std::optional<PolicyRows> rows = read_rows(open.layout, text, diagnostics);
  if (!rows) return {};
  if (rows->software.of_a_run && opens == Opens::written)
    LayoutRowReader(rows->open, diagnostics).read(*rows->software.of_a_run);
  const Node kept = kept_fields(text, opens);
  std::erase_if(rows->open, [&](const OpenedField& row) { return node_at(kept, row.path) != nullptr; });
  return std::move(rows->open);
}

ChangeRows change_rows(const LayoutWords& words, const ScenarioText& text, dsl::Diagnostics& diagnostics) {
  const std::optional<PolicyRows> rows = read_rows(words, text, diagnostics);
  if (!rows) return {};
  ChangeRows out;
  for (const OpenedField& field : rows->open) out.rows.push_back({.when = "", .fields = {field}});
  ChangeReader reader(out.rows, diagnostics);
  read_changes(rows->policy, text, reader, diagnostics);
  if (rows->software.changes) reader.read(*rows->software.changes);
  if (rows->software.can) LayoutRowReader(out.can, diagnostics).read(*rows->software.can);
  std::ranges::stable_sort(out.rows, {}, &ChangeRow::kind);
  return out;
}

std::vector<std::string> sets_of(const std::vector<OpenedField>& fields) {
  std::vector<std::string> sets{kLayoutSaid};
  for (const OpenedField& field : fields) sets.push_back(field.path + "=" + field.values);
  return sets;
}

}  // namespace planner
