#include "planner/resolve/roadmap_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dsl/convert.h"
#include "dsl/expression_tree.h"
#include "dsl/raw_text.h"
#include "dsl/record_evaluator.h"
#include "dsl/write.h"
#include "planner/resolve/read.h"
#include "planner/scenario/field_path.h"

namespace planner {
namespace {

/// "cluster.network[0].latency" -> cluster, network, 0, latency; of a schema's row "[]" is "*".
std::vector<std::string> steps_of(std::string_view path) {
  std::vector<std::string> steps(1);
  for (const char c : path) {
    if (c == '.' || c == '[') steps.emplace_back();
    else if (c != ']') steps.back() += c;
    else if (steps.back().empty()) steps.back() = "*";
  }
  return steps;
}

bool is_index(const std::string& step) { return step.find_first_not_of("0123456789") == std::string::npos; }

/// A star of the path matches any step; that of a schema's row matches an item of its list.
bool matches(std::string_view pattern, std::string_view path) {
  const std::vector<std::string> a = steps_of(pattern), b = steps_of(path);
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) {
           return x == y || y == "*" || (x == "*" && is_index(y));
         });
}

constexpr std::string_view kBeyondNode = "cluster.network.inter_node.";

std::string first_tier(const std::string& path) { return "cluster.network[0]." + path.substr(kBeyondNode.size()); }

bool has_star(std::string_view path) { return path.find('*') != std::string_view::npos; }

const dsl::Field* field_of(const std::string& path) {
  for (const dsl::Field& field : scenario_schema())
    if (matches(field.path, path)) return &field;
  return nullptr;
}

bool is_pull(const std::string& path) {
  return std::any_of(scenario_pulls().begin(), scenario_pulls().end(),
                     [&](const dsl::Pull& p) { return path == p.path + ".use" && !p.by_name; });
}

// A word of the field, right or wrong, unless it looks like a formula.
bool is_formula(const std::string& text) { return text.find_first_of("\"'( ") != std::string::npos; }

}  // namespace

dsl::Override override_of(const RoadmapSet& set) { return {set.path + "=" + dsl::write_value(set.value), set.place}; }

RoadmapBase::RoadmapBase(const OpenScenario& base, dsl::Diagnostics& diagnostics)
    : base_(base), diagnostics_(diagnostics) {
  for (const auto& [path, slot] : base.space.record().slots) names_.push_back(path);
}

bool RoadmapBase::is_open(std::string_view name) const {
  return std::any_of(base_.space.items().begin(), base_.space.items().end(),
                     [&](const dsl::OpenItem& item) { return item.path == name; });
}

std::optional<dsl::Value> RoadmapBase::base_value(const std::string& name, dsl::Span place) {
  const auto told = [&](const std::string& message, const std::string& hint = {}) {
    diagnostics_.error(place, message, hint);
    return dsl::Value{};
  };
  const dsl::Record& record = base_.space.record();
  const std::string path = indexed_path(record.full_path(name), record, base_.sample.cluster);
  if (is_open(path))
    return told(fmt::format("{} differs between candidates of the base scenario", path),
                "a step reads fields that have one value");
  for (const auto& [let, value] : record.let)
    if (let == name) return value;
  const dsl::Slot* slot = record.find(path);
  if (!slot) return std::nullopt;
  if (slot->field->type == dsl::Type::expression)
    return told(fmt::format("'{}' is a condition or goal, not a value", path));
  return slot->value.is_null() ? told(fmt::format("'{}' is not set", path)) : slot->value;
}

std::optional<dsl::Value> RoadmapBase::evaluate(const dsl::Node& node) {
  const dsl::ExprPtr tree = dsl::parse_expression(node.text, node.span, diagnostics_);
  if (!tree) return std::nullopt;
  const auto resolve = [this](const std::string& name, dsl::Span place) { return base_value(name, place); };
  return dsl::evaluate(*tree, resolve, diagnostics_, names_);
}

std::optional<double> RoadmapBase::number(const dsl::Node& node) {
  if (node.kind != dsl::Node::Kind::scalar) return diagnostics_.refuse(node.span, "expected a plain number");
  const std::optional<dsl::Value> value = evaluate(node);
  if (!value) return std::nullopt;
  const dsl::Number* x = std::get_if<dsl::Number>(&value->v);
  if (x && x->dim == dsl::kNone) return x->value;
  return diagnostics_.refuse(node.span, "expected a plain number, got " + dsl::describe(*value));
}

std::vector<std::string> RoadmapBase::expanded(const std::string& path) const {
  if (lacks_tier(path)) return {};
  if (!has_star(path)) return {indexed_path(path, base_.space.record(), base_.sample.cluster)};
  std::vector<std::string> out;
  for (const std::string& name : names_)
    if (matches(name, path)) out.push_back(name);
  return out;
}

// A network that ends at the node has no tier beyond it; that is not a mistake of a preset.
bool RoadmapBase::lacks_tier(const std::string& path) const {
  return path.starts_with(kBeyondNode) &&
         indexed_path(path, base_.space.record(), base_.sample.cluster).starts_with(kBeyondNode);
}

bool RoadmapBase::known(const std::string& path, dsl::Span place) {
  const dsl::Record& record = base_.space.record();
  const std::string full = indexed_path(record.full_path(path), record, base_.sample.cluster);
  if (is_pull(full) || field_of(full) || (lacks_tier(path) && field_of(first_tier(path)))) return true;
  const std::string inside = full + ".";
  for (const std::string& name : names_)
    if (name.starts_with(inside)) {
      diagnostics_.error(place, fmt::format("'{}' is a section, not a value", path),
                         fmt::format("name one of its fields, such as {}", name));
      return false;
    }
  std::vector<std::string> candidates = names_;
  for (const dsl::Pull& pull : scenario_pulls())
    if (!pull.by_name && !pull.path.ends_with("[]")) candidates.push_back(pull.path + ".use");
  const std::string items = names_of_items(full);
  diagnostics_.error(place, fmt::format("unknown field '{}'", dsl::shortened(path)),
                     items.empty() ? dsl::did_you_mean(full, candidates) : items);
  return false;
}

// A name where an item of a list is meant, and none is called so: which names there are.
std::string RoadmapBase::names_of_items(const std::string& path) const {
  const dsl::Record& record = base_.space.record();
  for (const auto& [list, size] : record.list_sizes) {
    if (!path.starts_with(list + ".")) continue;
    std::vector<std::string> names;
    for (size_t i = 0; i < size; ++i)
      if (const dsl::Slot* slot = record.find(fmt::format("{}[{}].name", list, i)))
        names.push_back(dsl::to_text(slot->value));
    if (!names.empty()) return fmt::format("{} has {}", list, fmt::join(names, ", "));
  }
  return {};
}

std::optional<dsl::Value> RoadmapBase::value_of(const std::string& path, const dsl::Node& node) {
  if (node.kind == dsl::Node::Kind::null) return dsl::Value{};
  if (node.kind == dsl::Node::Kind::list) {
    dsl::List list;
    bool good = true;
    for (const dsl::Node& item : node.items) {
      std::optional<dsl::Value> value = value_of(path, item);
      good &= value.has_value();
      if (value) list.push_back(std::move(*value));
    }
    return good ? std::optional(dsl::Value{std::move(list)}) : std::nullopt;
  }
  const dsl::Field* field = field_of(path);
  const bool literal = !field || field->type == dsl::Type::name || field->type == dsl::Type::expression ||
                       (field->type == dsl::Type::word && !is_formula(node.text));
  return literal ? std::optional(dsl::Value{node.text}) : evaluate(node);
}

// Types, dimensions and limits. What only the whole scenario says (a name, a condition) is found when it is read.
bool RoadmapBase::fits(const std::string& path, const dsl::Value& value, dsl::Span place) {
  const dsl::Field* field = field_of(path);
  const bool typed = field && field->type != dsl::Type::name && field->type != dsl::Type::expression;
  if (!typed || (value.is_null() && field->optional)) return true;
  const dsl::List* list = std::get_if<dsl::List>(&value.v);
  for (const dsl::Value& one : list ? *list : dsl::List{value})
    if (!dsl::convert(*field, one, {.path = path, .span = place}, diagnostics_)) return false;
  return true;
}

void RoadmapBase::set(const std::string& path, dsl::Span place, const dsl::Node& value, std::vector<RoadmapSet>& out) {
  if (value.kind == dsl::Node::Kind::map) {
    for (const dsl::Entry& e : value.entries) set(path + "." + e.key, e.key_span, e.value, out);
    return;
  }
  if (!known(path, place)) return;
  const dsl::Span span = value.span.source ? value.span : place;
  for (const std::string& field : expanded(base_.space.record().full_path(path)))
    if (std::optional<dsl::Value> read = value_of(field, value); read && fits(field, *read, span))
      out.push_back({field, std::move(*read), span});
}

void RoadmapBase::scale(const std::string& path, dsl::Span place, const dsl::Node& factor, int times,
                        std::vector<RoadmapSet>& out) {
  const std::optional<double> by = number(factor);
  if (!known(path, place) || !by) return;
  const double power = std::pow(*by, times);
  for (const std::string& field : expanded(base_.space.record().full_path(path))) {
    const dsl::Slot* slot = base_.space.record().find(field);
    if (has_star(path) && (!slot || slot->value.is_null())) continue;
    const std::optional<dsl::Value> base = base_value(field, place);
    if (base && base->is_null()) return;
    const dsl::Number* x = base ? std::get_if<dsl::Number>(&base->v) : nullptr;
    if (!x) return diagnostics_.error(place, fmt::format("'{}' holds no number that could be scaled", field));
    const bool count = slot && slot->field->type == dsl::Type::count;
    const double scaled = x->value * power;
    out.push_back({field, {dsl::Number{count ? std::round(scaled) : scaled, x->dim}}, factor.span});
  }
}

}  // namespace planner
