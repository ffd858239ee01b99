#include "planner/resolve/nearby.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "dsl/node_path.h"
#include "dsl/raw_text.h"
#include "planner/resolve/read.h"
#include "planner/resolve/recipes.h"
#include "planner/scenario/degrees.h"

namespace planner {
namespace {

using dsl::Node;
using Texts = std::vector<std::string>;

const dsl::Field& field_at(const std::string& path) {
  return *std::ranges::find(scenario_schema(), path, &dsl::Field::path);  // LayoutRowReader refuses other paths
}

/// Values in the form of an expression: the words of a list in quotes.
std::string values_expression(const dsl::Field& field, const std::string& text) {
  const bool is_text = field.type == dsl::Type::word || field.type == dsl::Type::name;
  if (!is_text || !text.starts_with('[') || !text.ends_with(']')) return as_expression(field, text);
  Texts items;
  for (size_t at = 1; at + 1 < text.size();) {
    const size_t end = std::min(text.find(',', at), text.size() - 1);
    const std::string item(dsl::trimmed(std::string_view(text).substr(at, end - at)));
    items.push_back(field.type == dsl::Type::name ? '"' + item + '"' : as_expression(field, item));
    at = end + 1;
  }
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::optional<dsl::Expression> expression_of(const std::string& text) {
  dsl::Diagnostics unasked;
  dsl::ExprPtr tree = dsl::parse_expression(text, {}, unasked);
  return tree ? std::optional(dsl::Expression{std::move(tree), text, {}}) : std::nullopt;
}

std::optional<dsl::Value> value_at(const std::string& text, const dsl::Record& record) {
  dsl::Diagnostics unasked;
  const std::optional<dsl::Expression> expression = expression_of(text);
  return expression ? dsl::evaluate(*expression, record, {}, unasked) : std::nullopt;
}

bool holds(const std::string& condition, const dsl::Record& record) {
  if (condition.empty()) return true;
  const std::optional<dsl::Value> value = value_at(condition, record);
  const bool* truth = value ? std::get_if<bool>(&value->v) : nullptr;
  return truth && *truth;
}

std::string text_of(const dsl::Record& record, const std::string& path) {
  return dsl::to_text(record.find(path)->value);
}

/// The values that a row gives a field, as texts.
Texts texts_at(const OpenedField& opened, const dsl::Record& record) {
  const std::optional<dsl::Value> value = value_at(values_expression(field_at(opened.path), opened.values), record);
  if (!value) return {};
  Texts texts;
  const dsl::List* list = std::get_if<dsl::List>(&value->v);
  for (const dsl::Value& each : list ? *list : dsl::List{*value}) texts.push_back(dsl::to_text(each));
  return texts;
}

void add_new(Texts& all, const std::string& text) {
  if (std::ranges::find(all, text) == all.end()) all.push_back(text);
}

/// The values that the fields of changes get, as texts: in the scenario as it is, and, of the layout, where one other
/// setting is changed (chunks of a stage, where there are several stages).
class NearbyValues {
 public:
  explicit NearbyValues(const LoadedScenario& base) : base_(base) {}

  void add(const std::vector<ChangeRow>& rows) {
    for (const ChangeRow& row : rows) add(row, base_.record);
    const std::vector<std::pair<std::string, Texts>> alone = values_;
    dsl::Record record = base_.record;
    for (const auto& [path, texts] : alone) {
      if (!path.starts_with("parallelism.")) continue;
      for (const std::string& text : texts) with_other(record, path, text, rows);
    }
  }
  const std::vector<std::pair<std::string, Texts>>& all() const { return values_; }
  /// REQUIRES: the field of a row.
  const Texts& of(const std::string& path) const {
    return std::ranges::find(values_, path, &std::pair<std::string, Texts>::first)->second;
  }

 private:
  void add(const ChangeRow& row, const dsl::Record& record) {
    for (const OpenedField& field : row.fields) {
      const std::string own = text_of(base_.record, field.path);
      Texts& texts = its(field.path);
      for (const std::string& text : texts_at(field, record))
        if (text != own) add_new(texts, text);
    }
  }
  Texts& its(const std::string& path) {
    const auto at = std::ranges::find(values_, path, &std::pair<std::string, Texts>::first);
    return at != values_.end() ? at->second : values_.emplace_back(path, Texts{}).second;
  }

  void with_other(dsl::Record& record, const std::string& path, const std::string& text,
                  const std::vector<ChangeRow>& rows) {
    const auto number = [](double x) { return dsl::Value{dsl::Number{x, dsl::kNone}}; };
    dsl::Value& own = slot(record, path);
    dsl::Value& data = slot(record, "parallelism.dp");
    const dsl::Value before = own, data_before = data;
    own = std::holds_alternative<dsl::Number>(own.v) ? number(std::strtod(text.c_str(), nullptr))
          : std::holds_alternative<bool>(own.v)      ? dsl::Value{text == "true"}
                                                     : dsl::Value{text};
    if (const auto left = value_at(default_of(degree_of(&Degrees::dp)), record); left && is_count(*left)) data = *left;
    for (const ChangeRow& row : rows)
      if (row.kind == ChangeKind::layout) add(row, record);
    own = before, data = data_before;
  }
  static bool is_count(const dsl::Value& value) {
    const dsl::Number* number = std::get_if<dsl::Number>(&value.v);
    return number && number->value >= 1 && std::floor(number->value) == number->value;
  }
  static dsl::Value& slot(dsl::Record& record, const std::string& path) {
    return record.slots[record.index.find(path)->second].second.value;
  }

  const LoadedScenario& base_;
  std::vector<std::pair<std::string, Texts>> values_;
};

/// Writes the values into the tree of their scenario.
class NearbyWriter {
 public:
  /// `constant`: what is written is a value, and follows nothing.
  NearbyWriter(Node& tree, const LoadedScenario& base, const dsl::Source& place, bool constant)
      : tree_(tree), base_(base), place_{&place, 1, 1, 0}, constant_(constant) {}

  void write(const std::vector<std::pair<std::string, Texts>>& values) {
    const Degree& data = degree_of(&Degrees::dp);
    follow(degree_path(data), default_of(data));
    const Parallelism& p = base_.scenario.parallelism;
    if (p.zero_group == data_ranks(p)) follow("parallelism.zero_group", default_shard_group());
    for (const auto& [path, texts] : values) {
      if (texts.empty()) continue;
      Node list(Node::Kind::list, place_);
      list.items.push_back(node(as_is(field_at(path))));
      for (const std::string& text : texts) list.items.push_back(node(text));
      make_at(tree_, path) = std::move(list);
    }
  }
  const Texts& followers() const { return followers_; }

 private:
  Node node(std::string text) { return dsl::plain_node(std::move(text), place_); }

  std::string as_is(const dsl::Field& field) const {
    const Node* written = node_at(std::as_const(tree_), field.path);
    const bool follows = !constant_ && field.type != dsl::Type::name;
    if (!follows || (written && written->kind != Node::Kind::scalar)) return text_of(base_.record, field.path);
    return written ? written->text : field.otherwise;
  }

  /// The data degree takes the ranks that the others leave, and a group of all data ranks stays one of all.
  void follow(const std::string& path, std::string otherwise) {
    if (base_.record.find(path)->given) make_at(tree_, path) = node(std::move(otherwise));
    followers_.push_back(path);
  }

  Node& tree_;
  const LoadedScenario& base_;
  dsl::Span place_;
  bool constant_;
  Texts followers_;
};

/// That a field has one of these values; `record`: where they are one or a list.
std::optional<dsl::Expression> is_in(const std::string& path, const std::string& values, const dsl::Record& record) {
  const dsl::Field& field = field_at(path);
  if (field.type == dsl::Type::name) return std::nullopt;
  const std::string text = values_expression(field, values);
  const std::optional<dsl::Value> value = value_at(text, record);
  const bool one = value && !std::holds_alternative<dsl::List>(value->v);
  return expression_of(fmt::format("{} in {}", path, one ? "[" + text + "]" : text));
}

/// The items of what was written.
class NearbyItems {
 public:
  NearbyItems(NearbySpace& nearby, const LoadedScenario& base, const NearbyValues& values)
      : nearby_(nearby), base_(base), values_(values) {}

  /// A row of which a field has no other value is left out.
  void add(const ChangeRow& row, const std::vector<OpenedField>& can) {
    NearbyRow its{row.kind, {}};
    for (const OpenedField& opened : row.fields) {
      std::optional<NearbyField> field = at(opened.path);
      if (!field) return;
      if (row.kind == ChangeKind::layout) allow(*field, opened.values);
      if (const auto limit = std::ranges::find(can, opened.path, &OpenedField::path); limit != can.end())
        allow(*field, limit->values);
      field->values = numbers(row.kind, opened);
      if (field->values.empty()) return;
      its.fields.push_back(*std::move(field));
    }
    nearby_.rows.push_back(std::move(its));
  }
  void add_follower(const std::string& path) {
    if (auto field = at(path)) nearby_.followers.push_back(*std::move(field));
  }

 private:
  std::optional<NearbyField> at(const std::string& path) const {
    const std::vector<dsl::OpenItem>& items = nearby_.open.space.items();
    const auto item = std::ranges::find(items, path, &dsl::OpenItem::path);
    if (item == items.end()) return std::nullopt;
    return NearbyField{.path = path, .item = static_cast<size_t>(item - items.begin())};
  }
  void allow(NearbyField& field, const std::string& values) const {
    if (auto condition = is_in(field.path, values, base_.record)) field.allowed.push_back(*std::move(condition));
  }
  /// Of a layout all that the field has: its condition leaves those of the row, which may follow other fields. Of a job
  /// or a cluster those that the row has in the scenario, which may follow the field itself.
  std::vector<uint32_t> numbers(ChangeKind kind, const OpenedField& opened) const {
    const Texts of_row = texts_at(opened, base_.record);
    std::vector<uint32_t> numbers;
    const Texts& all = values_.of(opened.path);
    for (size_t i = 0; i < all.size(); ++i)
      if (kind == ChangeKind::layout || std::ranges::find(of_row, all[i]) != of_row.end())
        numbers.push_back(static_cast<uint32_t>(i + 1));
    return numbers;
  }

  NearbySpace& nearby_;
  const LoadedScenario& base_;
  const NearbyValues& values_;
};

/// The layout of a profile that the text names and does not use: a scenario that was printed in full.
std::optional<Node> layout_of_named(const ScenarioText& text) {
  const Node own = own_tree(text);
  const Node* name = node_at(own, "software.name");
  const std::vector<std::string> known = dsl::catalog_names(text.catalog, "software");
  if (!name || node_at(own, "software.use") || std::ranges::find(known, name->text) == known.end()) return std::nullopt;
  const dsl::Source& entry = text.sources.emplace_back(
      dsl::Source{"software", fmt::format("software: {{use: {}}}", name->text), text.source.directory});
  dsl::Diagnostics unasked;  // the catalogue's own
  Node tree = dsl::load(entry, {}, scenario_pulls(), text.catalog, text.sources, unasked);
  return take_at(tree, "software.layout");
}

std::optional<NearbySpace> read(const ScenarioText& text, const Sets& chosen, const LoadedScenario& base,
                                bool constant) {
  dsl::Diagnostics unasked;
  ChangeRows changes;
  NearbyValues values(base);
  Texts followers;
  const dsl::Source& place =
      text.sources.emplace_back(dsl::Source{"changes", "", "", text.overrides.size() + chosen.size()});
  const auto edit = [&](Node& tree, const LayoutWords& words) {
    LayoutWords own = words;
    if (auto layout = layout_of_named(text)) own.software = std::move(layout);
    changes = change_rows(own, text, unasked);
    std::erase_if(changes.rows, [&](const ChangeRow& row) { return !holds(row.when, base.record); });
    values.add(changes.rows);
    NearbyWriter writer(tree, base, place, constant);
    writer.write(values.all());
    followers = writer.followers();
  };
  auto open = read_open_scenario(text.source, text.overrides, text.catalog, text.sources, unasked, chosen, edit);
  if (!open || unasked.has_errors()) return std::nullopt;
  NearbySpace nearby{.open = *std::move(open), .rows = {}, .followers = {}};
  NearbyItems items(nearby, base, values);
  for (const ChangeRow& row : changes.rows) items.add(row, changes.can);
  for (const std::string& path : followers) items.add_follower(path);
  return nearby;
}

}  // namespace

std::optional<NearbySpace> read_nearby(const ScenarioText& text, const Sets& chosen, const LoadedScenario& base) {
  // Choices may not follow one of several lengths, or a field that follows them.
  const bool several = !base.scenario.lengths.shares.empty();
  auto nearby = several ? std::nullopt : read(text, chosen, base, false);
  return nearby ? std::move(nearby) : read(text, chosen, base, true);
}

}  // namespace planner
