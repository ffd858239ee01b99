// The values of single fields: literals, formulas, lists and choices. Part of RecordEvaluator.
#include <algorithm>

#include "dsl/raw_text.h"
#include "dsl/record_evaluator.h"
#include "dsl/slips.h"

namespace dsl {
namespace {

constexpr size_t kLongestChoice = 10000;  // as the lists that functions yield

// A map of keys without values, "{2, 4}", is a choice in the wrong brackets.
std::string choice_hint(const Node& map) {
  std::string out;
  for (const Entry& e : map.entries) {
    if (e.value.kind != Node::Kind::null || e.value.span.source != e.key_span.source) return "";
    out += (out.empty() ? "" : ", ") + e.key;
  }
  return out.empty() ? "" : "write '[" + out + "]'";
}

}  // namespace

Origin origin_of(const std::string& path, const Node& node) { return {path, node.span, false, node.text}; }

void RecordEvaluator::parse_all() {
  parsed_.reserve(items_.size());
  for (const EvaluatedItem& item : items_) {
    const Field* field = field_of(item);
    const Node* node = node_of(item);
    if (!node) continue;
    if (!field || is_formula(*field, *node)) parsed(*node, field);
    for (const Node& element : node->items)
      if (!field || is_formula(*field, element)) parsed(element, field);
  }
}

const ExprPtr& RecordEvaluator::parsed(const Node& node, const Field* field) {
  const auto [it, is_new] = parsed_.try_emplace(&node);
  if (!is_new || node.kind != Node::Kind::scalar || node.broken) return it->second;
  const size_t before = diagnostics_.list.size();
  it->second = parse_expression(node.text, node.span, diagnostics_);
  if (it->second || !field || diagnostics_.list.size() == before) return it->second;
  Diagnostic& told = diagnostics_.list.back();
  const std::optional<Slip> slip = find_slip(node.text, field->type == Type::quantity ? field->dim : kNone);
  const std::string number = field->type == Type::count ? counted_number(node.text) : "";
  if (slip) told.hint = slip->hint;
  else if (!number.empty()) told.span = node.span, told.hint = "write '" + number + "'";
  return it->second;
}

// Whether the text is computed. In a field with words, a single word that is neither one of them nor a known name is
// misspelt: "no-such-word" is not a subtraction.
bool RecordEvaluator::is_formula(const Field& field, const Node& node) const {
  if (field.type != Type::word) return field.type != Type::name && field.type != Type::expression;
  const std::string& text = node.text;
  if (std::find(field.words.begin(), field.words.end(), text) != field.words.end()) return false;
  const bool is_word =
      std::all_of(text.begin(), text.end(), [](char c) { return is_name_char(c) || c == '-' || c == '.'; });
  return !is_word || file_->index.contains(text);
}

std::optional<Value> RecordEvaluator::walked(const Expr& tree, bool dry, bool results) {
  const auto resolver = [&](const std::string& name, Span place) { return resolve(name, place, results); };
  return walk(tree, resolver, diagnostics_, results ? candidates_with_results_ : candidates_, dry, budget_);
}

std::optional<Value> RecordEvaluator::computed(const Node& node) {
  const ExprPtr tree = parsed(node);
  return tree ? walked(*tree, false, false) : std::nullopt;
}

std::optional<Value> RecordEvaluator::evaluate_let(const EvaluatedItem& item) {
  const Node& node = *item.node;
  if (node.kind == Node::Kind::scalar) return computed(node);
  if (node.kind != Node::Kind::list)
    return diagnostics_.refuse(node.span,
                               "expected a value for '" + std::string(item.name) + "', got " + kind_name(node));
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
  const WrittenField& place = file_->layout.places[items_[index].place];
  const Field& field = *place.field;
  const bool is_null = place.node && place.node->kind == Node::Kind::null;
  if (is_null && !field.optional)
    return diagnostics_.refuse(place.node->span.source ? place.node->span : place.parent,
                               mismatch(field, place.path, "nothing"), unit_hint(field));
  if (field.type == Type::expression) return expressions(index);
  return place.node && !is_null ? evaluate_written(place) : evaluate_default(place);
}

std::optional<Value> RecordEvaluator::evaluate_default(const WrittenField& place) {
  const Field& field = *place.field;
  const bool is_text = field.type == Type::word || field.type == Type::name;
  if (field.otherwise.empty() && field.many) return field.optional ? Value{} : Value{List{}};
  if (field.otherwise.empty() && (field.optional || field.type != Type::name)) return Value{};
  std::optional<Value> raw;
  if (is_text) {
    raw = Value{field.otherwise};
  } else {  // a mistake in it shows at the nearest parent, with the default's text
    const size_t before = diagnostics_.list.size();
    const ExprPtr tree = parsed_default(field);
    if (tree) raw = walked(*tree, false, false);
    for (size_t i = before; i < diagnostics_.list.size(); ++i) {
      Diagnostic& d = diagnostics_.list[i];
      if (d.span.source) continue;
      d.span = place.parent;
      d.message += " (in the default of " + place.path + ")";
      d.hint = "the default is " + field.otherwise + "; write a value of your own";
    }
  }
  if (!raw) return std::nullopt;
  const Origin origin{place.path, place.parent, true};
  if (!field.many) return convert(field, *raw, origin, diagnostics_);
  std::optional<List> values = converted(field, *raw, origin);
  return values ? std::optional(Value{*std::move(values)}) : std::nullopt;
}

std::optional<Value> RecordEvaluator::evaluate_written(const WrittenField& place) {
  if (place.node->broken) return std::nullopt;
  if (place.node->kind == Node::Kind::map)
    return diagnostics_.refuse(place.node->span, mismatch(*place.field, place.path, "a map"), choice_hint(*place.node));
  std::optional<List> values = written_values(place);
  if (!values) return std::nullopt;
  return place.field->many ? Value{*std::move(values)} : pick(place, *values);
}

// The row of a word that others would write there, where nothing here has that name.
const OtherName* RecordEvaluator::other_word(const std::string& path, const Node& node) const {
  if (!file_->of_other_words.contains(path) || node.kind != Node::Kind::scalar || node.broken) return nullptr;
  if (file_->index.contains(node.text)) return nullptr;
  return file_->options.vocabulary.other_word(node.text, path);
}

// What one scalar yields, before conversion.
std::optional<Value> RecordEvaluator::raw_value(const Field& field, const std::string& path, const Node& node) {
  if (const OtherName* other = other_word(path, node))
    return diagnostics_.refuse(
        node.span, mismatch(field, path, "'" + node.text + "'"),
        other->advice.empty() ? "write '" + std::string(other->meant) + "'" : std::string(other->advice));
  if (node.kind != Node::Kind::scalar)
    return diagnostics_.refuse(node.span, mismatch(field, path, kind_name(node)), unit_hint(field));
  if (node.broken) return std::nullopt;
  if (field.type == Type::name) return Value{node.text};
  if (field.type == Type::word) return word_value(field, path, node);
  return computed(node);
}

std::optional<Value> RecordEvaluator::word_value(const Field& field, const std::string& path, const Node& node) {
  if (is_formula(field, node)) return computed(node);
  if (std::find(field.words.begin(), field.words.end(), node.text) != field.words.end()) return Value{node.text};
  return diagnostics_.refuse(node.span, mismatch(field, path, "'" + shortened(node.text) + "'"),
                             did_you_mean(node.text, field.words));
}

std::optional<Value> RecordEvaluator::single(const Field& field, const std::string& path, const Node& node) {
  std::optional<Value> raw = raw_value(field, path, node);
  if (!raw) return std::nullopt;
  return convert(field, *raw, origin_of(path, node), diagnostics_);
}

// All values that are written: of a field of many together its value, of another one a choice.
std::optional<List> RecordEvaluator::written_values(const WrittenField& place) {
  const Field& field = *place.field;
  const Node& node = *place.node;
  if (node.kind != Node::Kind::list) {
    const std::optional<Value> raw = raw_value(field, place.path, node);
    return raw ? converted(field, *raw, origin_of(place.path, node)) : std::nullopt;
  }
  List values;
  for (const Node& item : node.items)
    if (std::optional<Value> value = single(field, place.path, item)) values.push_back(*std::move(value));
  return values.size() == node.items.size() ? std::optional(std::move(values)) : std::nullopt;
}

// Each item of a list, or the one value.
std::optional<List> RecordEvaluator::converted(const Field& field, const Value& raw, const Origin& origin) {
  const List* list = std::get_if<List>(&raw.v);
  List values;
  bool good = true;
  for (const Value& v : list ? *list : List{raw})
    if (std::optional<Value> value = convert(field, v, origin, diagnostics_)) values.push_back(*std::move(value));
    else good = false;
  return good ? std::optional(std::move(values)) : std::nullopt;
}

std::optional<Value> RecordEvaluator::pick(const WrittenField& place, const List& values) {
  const Span span = place.node->span;
  if (values.empty()) return diagnostics_.refuse(span, place.path + " is an empty choice");
  if (values.size() > kLongestChoice)
    return diagnostics_.refuse(span, place.path + " has more than " + std::to_string(kLongestChoice) + " values");
  if (values.size() > 1 && file_->options.keep_open) {
    EvaluatedItem& item = items_[file_->index.find(place.path)->second];
    item.open = item.is_choice = true;
    item.values = values;
    return values[0];
  }
  if (values.size() > 1 && !file_->options.pick_first) {
    diagnostics_.error(span, place.path + " is an open choice of " + std::to_string(values.size()) +
                                 " values; plan needs one (use --pick first, or search)");
    return std::nullopt;
  }
  if (values.size() > 1) choices_.emplace_back(place.path, values[0]);
  return values[0];
}

}  // namespace dsl
