#include "dsl/record_evaluator.h"

#include <algorithm>

#include "dsl/raw_text.h"
#include "dsl/units.h"

namespace dsl {
namespace {

constexpr size_t kDeepestReference = 200;  // fields that refer to fields; recursion follows it

Origin origin_of(const std::string& path, const Node& node) {
  const size_t sign = node.text.starts_with('-') ? 1 : 0;
  const bool is_plain = scan_number(std::string_view(node.text).substr(sign)).length + sign == node.text.size();
  return {path, node.span, false, node.text, is_plain};
}

}  // namespace

const std::vector<std::string>& bare_names() {
  static const std::vector<std::string> names{"tp", "pp", "dp", "cp", "ep", "etp", "microbatch", "interleave"};
  return names;
}

std::string full_path(const std::string& name) {
  const auto& names = bare_names();
  return std::find(names.begin(), names.end(), name) == names.end() ? name : "parallelism." + name;
}

RecordEvaluator::RecordEvaluator(const Node& tree, const Schema& schema, const EvaluateOptions& options,
                                 Diagnostics& diagnostics)
    : options_(options), diagnostics_(diagnostics) {
  layout_ = lay_out(tree, schema_tree(schema), diagnostics);
  add_let(tree);
  for (size_t i = 0; i < layout_.places.size(); ++i) {
    const Place& place = layout_.places[i];
    index_[place.path] = items_.size();
    items_.push_back({place.path, place.missing ? State::failed : State::fresh, {}, nullptr, i, false});
  }
  expressions_.resize(layout_.places.size());
  list_candidates();
}

void RecordEvaluator::add_let(const Node& tree) {
  const Node* let = tree.kind == Node::Kind::map ? tree.find("let") : nullptr;
  if (!let || let->kind == Node::Kind::null) return;
  if (let->kind != Node::Kind::map)
    return diagnostics_.error(let->span, "expected a map of names and values after 'let'", "write let: {cards: 512}");
  for (const Entry& e : let->entries) {
    check_let_name(e);
    index_.emplace(e.key, items_.size());
    items_.push_back({e.key, State::fresh, {}, &e.value, 0, true});
  }
}

void RecordEvaluator::check_let_name(const Entry& entry) {
  const std::string& name = entry.key;
  const bool shaped = !name.empty() && is_name_start(name[0]) && std::all_of(name.begin(), name.end(), is_name_char);
  if (!shaped)
    return diagnostics_.error(entry.key_span, "a name in 'let' has letters, digits and '_' only, got '" + name.substr(0, 60) + "'");
  const char* what = nullptr;
  if (full_path(name) != name) what = "a field of parallelism";
  if (is_reserved_word(name)) what = "a function, unit or keyword";
  for (const ResultName& r : options_.results)
    if (r.name == name) what = "a result of planning";
  if (what) diagnostics_.error(entry.key_span, "'" + name + "' is reserved: it is " + what, "choose another name");
}

void RecordEvaluator::list_candidates() {
  for (const Item& item : items_) candidates_.push_back(item.name);
  for (const std::string& name : bare_names())
    if (index_.count(full_path(name))) candidates_.push_back(name);
  candidates_with_results_ = candidates_;
  for (const ResultName& r : options_.results) candidates_with_results_.push_back(r.name);
}

Record RecordEvaluator::run() {
  for (size_t i = 0; i < items_.size(); ++i) require(i);
  Record record;
  for (const Item& item : items_) {
    if (item.is_let) {
      if (item.state == State::done) record.let.emplace_back(item.name, item.value);
      continue;
    }
    const Place& place = layout_.places[item.place];
    Slot slot{place.field, item.value, place.parent, place.node != nullptr, "", std::move(expressions_[item.place])};
    if (place.node && place.node->span.source) slot.span = place.node->span;
    if (place.node) slot.comment = place.node->comment;
    record.index[item.name] = record.slots.size();
    record.slots.emplace_back(item.name, std::move(slot));
  }
  record.choices = std::move(choices_);
  record.list_sizes = std::move(layout_.list_sizes);
  record.map_keys = std::move(layout_.map_keys);
  return record;
}

// ---- order of evaluation

void RecordEvaluator::require(size_t index) {
  Item& item = items_[index];
  if (item.state != State::fresh) return;
  item.state = State::busy;
  stack_.push_back(index);
  std::optional<Value> value = item.is_let ? evaluate_let(item) : evaluate_field(index);
  stack_.pop_back();
  item.state = value ? State::done : State::failed;
  if (value) item.value = std::move(*value);
}

void RecordEvaluator::report_cycle(size_t index, Span place) {
  std::string text;
  auto from = std::find(stack_.begin(), stack_.end(), index);
  const auto length = stack_.end() - from;
  constexpr std::ptrdiff_t kShown = 12;
  for (auto it = from; it != stack_.end(); ++it) {
    if (it - from == kShown && length > kShown + 1) {
      text += "... -> ";
      it = stack_.end() - 2;
      continue;
    }
    text += items_[*it].name + " -> ";
  }
  diagnostics_.error(place, "values refer to each other in a circle: " + text + items_[index].name);
}

std::optional<Value> RecordEvaluator::result_placeholder(const std::string& name) const {
  for (const ResultName& r : options_.results)
    if (r.name == name) return Value{Number{1, r.dim}};
  return std::nullopt;
}

std::optional<Value> RecordEvaluator::resolve(const std::string& name, Span place, bool results) {
  auto it = index_.find(full_path(name));
  auto told = [&](const std::string& message, const std::string& hint = {}) {
    diagnostics_.error(place, message, hint);
    return Value{};
  };
  if (it == index_.end()) {
    std::optional<Value> result = result_placeholder(name);
    if (result && !results) return told("'" + name + "' is a result: it stands in 'where' and 'goal' only");
    if (result) return result;
    const std::string inside = name + ".";
    auto next = index_.lower_bound(inside);
    if (next != index_.end() && next->first.starts_with(inside))
      return told("'" + name + "' is a section, not a value", "name one of its fields, such as " + next->first);
    return std::nullopt;
  }
  const size_t index = it->second;
  const Item& item = items_[index];
  if (item.state == State::busy) return report_cycle(index, place), Value{};
  if (stack_.size() > kDeepestReference) return told("more than 200 values refer to each other in a row");
  if (!item.is_let && layout_.places[item.place].field->type == Type::expression)
    return told("'" + item.name + "' is a condition or goal, not a value");
  require(index);
  if (item.state == State::done && item.value.is_null()) return told("'" + item.name + "' is not set");
  return item.state == State::done ? item.value : Value{};
}

// ---- one value

std::optional<Value> RecordEvaluator::computed(std::string_view text, Span span) {
  const ExprPtr tree = parse_expression(text, span, diagnostics_);
  if (!tree) return std::nullopt;
  auto resolver = [this](const std::string& name, Span place) { return resolve(name, place, false); };
  return walk(*tree, resolver, diagnostics_, candidates_, false, budget_);
}

std::optional<Value> RecordEvaluator::computed(const Node& node) {
  if (node.broken) return std::nullopt;
  return computed(node.text, node.span);
}

std::optional<Value> RecordEvaluator::evaluate_let(const Item& item) {
  const Node& node = *item.node;
  if (node.kind == Node::Kind::scalar) return computed(node);
  if (node.kind != Node::Kind::list) {
    diagnostics_.error(node.span, std::string("expected a value for '") + item.name + "', got " +
                                      (node.kind == Node::Kind::map ? "a map" : "nothing"));
    return std::nullopt;
  }
  List list;
  bool good = true;
  for (const Node& element : node.items) {
    std::optional<Value> value;
    if (element.kind == Node::Kind::scalar) value = computed(element);
    else diagnostics_.error(element.span, "a list in 'let' holds values only");
    if (value && std::holds_alternative<List>(value->v)) {
      diagnostics_.error(element.span, "a list does not hold lists");
      value.reset();
    }
    if (value) list.push_back(std::move(*value));
    else good = false;
  }
  if (!good) return std::nullopt;
  return Value{std::move(list)};
}

std::optional<Value> RecordEvaluator::evaluate_field(size_t index) {
  const Place& place = layout_.places[items_[index].place];
  const Field& field = *place.field;
  const bool is_null = place.node && place.node->kind == Node::Kind::null;
  if (is_null && !field.optional) {
    diagnostics_.error(place.node->span.source ? place.node->span : place.parent,
                       "expected " + expectation(field) + " for " + place.path + ", got nothing", unit_hint(field));
    return std::nullopt;
  }
  if (field.type == Type::expression) return expressions(index);
  return place.node && !is_null ? evaluate_written(place) : evaluate_default(place);
}

std::optional<Value> RecordEvaluator::evaluate_default(const Place& place) {
  const Field& field = *place.field;
  const bool is_text = field.type == Type::word || field.type == Type::name;
  if (field.otherwise.empty() && field.many) return field.optional ? Value{} : Value{List{}};
  if (field.otherwise.empty() && (field.optional || field.type != Type::name)) return Value{};
  std::optional<Value> raw;
  if (is_text && !field.many) {
    raw = Value{field.otherwise};
  } else {  // a mistake in it shows at the nearest parent, with the default's text
    const size_t before = diagnostics_.list.size();
    raw = computed(field.otherwise, Span{});
    for (size_t i = before; i < diagnostics_.list.size(); ++i) {
      Diagnostic& d = diagnostics_.list[i];
      if (d.span.source) continue;
      d.span = place.parent;
      d.message += " (in the default of " + place.path + ")";
      d.hint = "the default is " + field.otherwise + "; write a value of your own";
    }
  }
  if (!raw) return std::nullopt;
  const Origin origin{place.path, place.parent, true, "", false};
  if (!field.many) return convert(field, *raw, origin, diagnostics_);
  List out;
  const List* list = std::get_if<List>(&raw->v);
  for (const Value& v : list ? *list : List{*raw}) {
    std::optional<Value> value = convert(field, v, origin, diagnostics_);
    if (!value) return std::nullopt;
    out.push_back(std::move(*value));
  }
  return Value{std::move(out)};
}

std::optional<Value> RecordEvaluator::evaluate_written(const Place& place) {
  if (place.node->kind == Node::Kind::map) {
    diagnostics_.error(place.node->span, "expected " + expectation(*place.field) + " for " + place.path + ", got a map");
    return std::nullopt;
  }
  return place.field->many ? many_values(place) : choose(place);
}

// What one scalar yields, before conversion.
std::optional<Value> RecordEvaluator::raw_value(const Field& field, const std::string& path, const Node& node) {
  if (node.kind != Node::Kind::scalar) {
    const char* got = node.kind == Node::Kind::list ? "a list" : node.kind == Node::Kind::map ? "a map" : "nothing";
    diagnostics_.error(node.span, "expected " + expectation(field) + " for " + path + ", got " + got, unit_hint(field));
    return std::nullopt;
  }
  if (node.broken) return std::nullopt;
  if (field.type == Type::name) return Value{node.text};
  if (field.type == Type::word) return word_value(field, path, node);
  return computed(node);
}

// One of the field's words, or an expression. A single word that is neither one of them nor a
// known name is a misspelt word: "tp-cp-dp" is no subtraction.
std::optional<Value> RecordEvaluator::word_value(const Field& field, const std::string& path, const Node& node) {
  const std::string& text = node.text;
  if (std::find(field.words.begin(), field.words.end(), text) != field.words.end()) return Value{text};
  const bool is_word = std::all_of(text.begin(), text.end(), [](char c) { return is_name_char(c) || c == '-' || c == '.'; });
  if (!is_word || index_.count(full_path(text))) return computed(node);
  diagnostics_.error(node.span, "expected " + expectation(field) + " for " + path + ", got '" + text.substr(0, 60) + "'",
                     did_you_mean(text, field.words));
  return std::nullopt;
}

std::optional<Value> RecordEvaluator::single(const Field& field, const std::string& path, const Node& node) {
  std::optional<Value> raw = raw_value(field, path, node);
  if (!raw) return std::nullopt;
  return convert(field, *raw, origin_of(path, node), diagnostics_);
}

std::optional<Value> RecordEvaluator::many_values(const Place& place) {
  const Field& field = *place.field;
  List out;
  bool good = true;
  auto take = [&](std::optional<Value> value) {
    if (value) out.push_back(std::move(*value));
    else good = false;
  };
  if (place.node->kind == Node::Kind::list) {
    for (const Node& item : place.node->items) take(single(field, place.path, item));
  } else {
    std::optional<Value> raw = raw_value(field, place.path, *place.node);
    if (!raw) return std::nullopt;
    const Origin origin = origin_of(place.path, *place.node);
    if (const List* list = std::get_if<List>(&raw->v))
      for (const Value& v : *list) take(convert(field, v, origin, diagnostics_));
    else take(convert(field, *raw, origin, diagnostics_));
  }
  if (!good) return std::nullopt;
  return Value{std::move(out)};
}

// A single value, or a choice of several.
std::optional<Value> RecordEvaluator::choose(const Place& place) {
  const Field& field = *place.field;
  const Node& node = *place.node;
  List values;
  bool good = true;
  auto take = [&](std::optional<Value> value) {
    if (value) values.push_back(std::move(*value));
    else good = false;
  };
  if (node.kind == Node::Kind::list) {
    for (const Node& item : node.items) take(single(field, place.path, item));
  } else {
    std::optional<Value> raw = raw_value(field, place.path, node);
    if (!raw) return std::nullopt;
    const Origin origin = origin_of(place.path, node);
    const List* list = std::get_if<List>(&raw->v);
    if (!list) return convert(field, *raw, origin, diagnostics_);
    for (const Value& v : *list) take(convert(field, v, origin, diagnostics_));
  }
  if (!good) return std::nullopt;
  return pick(place, values, node.span);
}

std::optional<Value> RecordEvaluator::pick(const Place& place, const List& values, Span span) {
  if (values.empty()) {
    diagnostics_.error(span, place.path + " is an empty choice");
    return std::nullopt;
  }
  if (values.size() > 1 && !options_.pick_first) {
    diagnostics_.error(span, place.path + " is an open choice of " + std::to_string(values.size()) +
                                 " values; plan needs one (use --pick first, or search)");
    return std::nullopt;
  }
  if (values.size() > 1) choices_.emplace_back(place.path, values[0]);
  return values[0];
}

// ---- where and goal

std::optional<Value> RecordEvaluator::expressions(size_t index) {
  const size_t at = items_[index].place;
  const Place& place = layout_.places[at];
  const Field& field = *place.field;
  std::vector<const Node*> nodes;
  if (place.node && place.node->kind == Node::Kind::list && field.many)
    for (const Node& item : place.node->items) nodes.push_back(&item);
  else if (place.node && place.node->kind != Node::Kind::null) nodes.push_back(place.node);
  bool good = true;
  for (const Node* node : nodes) {
    if (node->kind != Node::Kind::scalar) {
      diagnostics_.error(node->span, "expected an expression for " + place.path + ", got " +
                                         (node->kind == Node::Kind::list ? "a list" : node->kind == Node::Kind::map ? "a map" : "nothing"),
                         node->kind == Node::Kind::map ? "quote an expression that holds ': ' or braces" : "");
      good = false;
      continue;
    }
    if (node->broken) {
      good = false;
      continue;
    }
    Expression e{parse_expression(node->text, node->span, diagnostics_), node->text, node->span};
    if (e.tree && check_expression(field, e)) expressions_[at].push_back(std::move(e));
    else good = false;
  }
  if (nodes.empty() && !field.otherwise.empty()) {
    Expression e{parse_expression(field.otherwise, Span{}, diagnostics_), field.otherwise, place.parent};
    if (e.tree) expressions_[at].push_back(std::move(e));
  }
  if (!good) return std::nullopt;
  return Value{};
}

// Types and dimensions only: results are not known yet, so numbers may come out as anything.
bool RecordEvaluator::check_expression(const Field& field, const Expression& expression) {
  auto resolver = [this](const std::string& name, Span place) { return resolve(name, place, true); };
  std::optional<Value> value = walk(*expression.tree, resolver, diagnostics_, candidates_with_results_, true, budget_);
  if (!value) return false;
  if (field.many && !std::holds_alternative<bool>(value->v)) {
    diagnostics_.error(expression.span, "expected a condition for " + field.path + ", got " + describe(*value),
                       "compare it with something, such as memory.peak <= 70 GB");
    return false;
  }
  if (!field.many && !std::holds_alternative<Number>(value->v)) {
    diagnostics_.error(expression.span, "expected a number or quantity for " + field.path + ", got " + describe(*value));
    return false;
  }
  return true;
}

}  // namespace dsl
