// Items that differ between candidates: their list, their inputs, their values. Part of RecordEvaluator.
#include <algorithm>
#include <limits>

#include "dsl/record_evaluator.h"

namespace dsl {
namespace {

constexpr size_t kDeepestReading = 200;  // as references (record_evaluator.cc)

template <class Visit> void each_name(const Expr& tree, const Visit& visit) {
  if (tree.kind == Expr::Kind::name) visit(tree.name);
  for (const ExprPtr& arg : tree.args) each_name(*arg, visit);
}

}  // namespace

bool reads(const Expr& expr, std::string_view name) {
  bool found = false;
  each_name(expr, [&](const std::string& other) { found |= other == name; });
  return found;
}

const WrittenField* RecordEvaluator::place_of(const EvaluatedItem& item) const {
  return item.is_let ? nullptr : &file_->layout.places[item.place];
}

const Field* RecordEvaluator::field_of(const EvaluatedItem& item) const {
  const WrittenField* place = place_of(item);
  return place ? place->field : nullptr;
}

const Node* RecordEvaluator::node_of(const EvaluatedItem& item) const {
  const WrittenField* place = place_of(item);
  return place ? place->node : item.node;
}

Span RecordEvaluator::span_of(const EvaluatedItem& item) const {
  const Node* node = node_of(item);
  return node ? node->span : place_of(item)->parent;
}

ExprPtr RecordEvaluator::parsed_default(const Field& field) {
  const auto [it, is_new] = defaults_.try_emplace(&field);
  if (is_new) it->second = parse_expression(field.otherwise, Span{}, diagnostics_);
  return it->second;
}

RecordEvaluator::Reads RecordEvaluator::reads_of(const Expr& tree) const {
  Reads reads;
  each_name(tree, [&](const std::string& name) {
    const auto it = file_->index.find(name);
    if (it == file_->index.end()) reads.results |= result_placeholder(name).has_value();
    else if (items_[it->second].open) reads.open.push_back(it->second);
  });
  return reads;
}

// Everything that the item's value is computed from.
std::vector<ExprPtr> RecordEvaluator::trees_of(size_t index) {
  const EvaluatedItem& item = items_[index];
  const Field* field = field_of(item);
  const Node* node = node_of(item);
  std::vector<ExprPtr> trees;
  if (!node && field && !field->otherwise.empty() && field->type != Type::word && field->type != Type::name)
    trees.push_back(parsed_default(*field));
  if (node && (!field || is_formula(*field, *node))) trees.push_back(parsed(*node));
  for (size_t i = 0; node && i < node->items.size(); ++i)
    if (!field || is_formula(*field, node->items[i])) trees.push_back(parsed(node->items[i]));
  std::erase(trees, nullptr);
  return trees;
}

// Evaluates what the item reads first, so that it is known whether anything of it is open.
bool RecordEvaluator::reads_open(size_t index) {
  const Field* field = field_of(items_[index]);
  if ((field && field->type == Type::expression) || stack_.size() > kDeepestReading) return false;
  std::vector<size_t> open;
  for (const ExprPtr& tree : trees_of(index))
    each_name(*tree, [&](const std::string& name) {
      const auto it = named(name, index);
      if (it == file_->index.end()) return;
      require(it->second);
      if (items_[it->second].open) open.push_back(it->second);
    });
  std::sort(open.begin(), open.end());
  open.erase(std::unique(open.begin(), open.end()), open.end());
  items_[index].reads = open;
  return !open.empty();
}

// A value of the right type: numbers that come of samples mean nothing, so that only types and dimensions are checked.
std::optional<Value> RecordEvaluator::sample_of(EvaluatedItem& item, const Node* node, const Expr& tree) {
  std::optional<Value> value = walked(tree, true, false);
  if (!value || item.is_let) return value;
  const List* list = std::get_if<List>(&value->v);
  item.is_choice |= list && !field_of(item)->many;
  if (list) value = list->empty() ? Value{Number{1, {}}} : list->front();
  if (Number* number = std::get_if<Number>(&value->v)) number->value = 1;
  Field any = *field_of(item);
  any.least = -std::numeric_limits<double>::infinity();
  any.most = std::numeric_limits<double>::infinity();
  const Origin origin =
      node ? origin_of(std::string(item.name), *node) : Origin{std::string(item.name), span_of(item), true};
  return convert(any, *value, origin, diagnostics_);
}

std::optional<Value> RecordEvaluator::sample(size_t index) {
  EvaluatedItem& item = items_[index];
  const Field* field = field_of(item);
  const Node* node = node_of(item);
  item.open = true;
  item.is_choice = field && node && !field->many && node->items.size() > 1;
  if (!node) return sample_of(item, nullptr, *parsed_default(*field));
  if (node->kind != Node::Kind::list) {
    const ExprPtr tree = parsed(*node);
    return tree ? sample_of(item, node, *tree) : std::nullopt;
  }
  if (item.is_let) return evaluate_let(item);
  std::optional<Value> first;
  for (const Node& element : node->items) {
    const bool formula = element.kind == Node::Kind::scalar && is_formula(*field, element);
    const ExprPtr tree = formula ? parsed(element) : nullptr;
    const bool open = tree && !reads_of(*tree).open.empty();
    std::optional<Value> value =
        open ? sample_of(item, &element, *tree) : single(*field, std::string(item.name), element);
    if (!value) return std::nullopt;
    if (!first) first = std::move(value);
  }
  if (field->many && first) return Value{List{*first}};
  return first;
}

std::optional<List> RecordEvaluator::values_now(size_t index) {
  const EvaluatedItem& item = items_[index];
  if (!item.values.empty()) return item.values;
  diagnostics_.list.clear();
  budget_ = {};
  const WrittenField* place = place_of(item);
  std::optional<List> values;
  stack_.push_back(index);  // its own names go by where it stands
  if (place && place->node) {
    values = written_values(*place);
    if (values && place->field->many) values = List{Value{*std::move(values)}};
  } else if (std::optional<Value> value = place ? evaluate_default(*place) : evaluate_let(item)) {
    values = List{*std::move(value)};
  }
  stack_.pop_back();
  return values;
}

// What a candidate's walk would do again and again: names are looked up once.
std::optional<Compiled> RecordEvaluator::compiled_count(size_t index) {
  const EvaluatedItem& item = items_[index];
  const Field* field = field_of(item);
  if (!field || field->type != Type::count || field->many || item.is_choice || !item.values.empty())
    return std::nullopt;
  const Node* node = node_of(item);
  if (node && (node->kind != Node::Kind::scalar || !is_formula(*field, *node))) return std::nullopt;
  const std::vector<ExprPtr> trees = trees_of(index);
  if (trees.size() != 1) return std::nullopt;
  return Compiled::compile(*trees.front(), [&](const std::string& name) -> std::optional<Compiled::Operand> {
    const auto at = named(name, index);
    if (at == file_->index.end()) return std::nullopt;
    const EvaluatedItem& read = items_[at->second];
    const std::optional<double> number = number_of(read.value);
    if (!number) return std::nullopt;  // a text or a list
    return read.open ? Compiled::Operand{{}, at->second} : Compiled::Operand{number};
  });
}

std::optional<Value> RecordEvaluator::value_of(const Expression& expression, std::span<const Value> results) {
  results_ = results;
  diagnostics_.list.clear();
  budget_ = {};
  std::optional<Value> value = walked(*expression.tree, false, true);
  results_ = {};
  return value;
}

}  // namespace dsl
