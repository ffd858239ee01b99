#include "dsl/record_evaluator.h"

#include <algorithm>
#include <tuple>

#include "dsl/raw_text.h"

namespace dsl {
namespace {

// The name with '_' in place of characters that a name cannot hold, if the result is a name.
std::string let_hint(std::string name) {
  if (name.empty() || !is_name_start(name[0]) || !is_ascii(name)) return "";
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_name_char(c); }, '_');
  return "write '" + name + "'";
}

constexpr size_t kDeepestReference = 200;  // fields that refer to fields; recursion follows it

}  // namespace

RecordEvaluator::RecordEvaluator(const Node& tree, const Schema& schema, const EvaluateOptions& options)
    : file_(std::make_shared<EvaluatedFile>(EvaluatedFile{.options = options})) {
  file_->layout = lay_out(tree, schema_tree(schema), options.vocabulary, diagnostics_);
  for (const OtherName& row : options.vocabulary.other_names) file_->of_other_words.insert(row.of);
  add_let(tree, schema);
  items_.reserve(items_.size() + file_->layout.places.size());
  file_->index.reserve(2 * items_.capacity());
  for (size_t i = 0; i < file_->layout.places.size(); ++i) {
    const WrittenField& place = file_->layout.places[i];
    file_->index[place.path] = items_.size();
    if (place.field->bare) file_->index[std::string(last_part(place.path))] = items_.size();
    items_.push_back({place.path, place.missing ? ItemState::failed : ItemState::fresh, {}, nullptr, i, false});
  }
  expressions_.resize(file_->layout.places.size());
}

void RecordEvaluator::add_let(const Node& tree, const Schema& schema) {
  const Node* let = tree.find("let");
  if (!let || let->kind == Node::Kind::null) return;
  if (let->kind != Node::Kind::map)
    return diagnostics_.error(let->span, "expected a map of names and values after 'let'", "write '{cards: 512}'");
  for (const Entry& e : let->entries) {
    check_let_name(e, schema);
    file_->index.emplace(e.key, items_.size());
    items_.push_back({e.key, ItemState::fresh, {}, &e.value, 0, true});
  }
}

void RecordEvaluator::check_let_name(const Entry& entry, const Schema& schema) {
  const std::string& name = entry.key;
  const bool shaped = !name.empty() && is_name_start(name[0]) && std::all_of(name.begin(), name.end(), is_name_char);
  if (!shaped)
    return diagnostics_.error(entry.key_span,
                              "a name in 'let' has letters, digits and '_' only, got '" + shortened(name) + "'",
                              let_hint(name));
  std::string what;
  const auto bare = [&](const Field& field) { return field.bare && last_part(field.path) == name; };
  if (const auto it = std::ranges::find_if(schema, bare); it != schema.end())
    what = "a field of " + it->path.substr(0, it->path.size() - name.size() - 1);
  if (is_reserved_word(name)) what = "a function, unit or keyword";
  for (const ResultName& r : file_->options.results)
    if (r.name == name) what = "a result of planning";
  if (!what.empty())
    diagnostics_.error(entry.key_span, "'" + name + "' is reserved: it is " + what, "choose another name");
}

void RecordEvaluator::list_candidates() {
  if (!candidates_.empty()) return;
  for (const EvaluatedItem& item : items_) candidates_.emplace_back(item.name);
  for (const WrittenField& place : file_->layout.places)
    if (place.field->bare) candidates_.emplace_back(last_part(place.path));
  candidates_with_results_ = candidates_;
  for (const ResultName& r : file_->options.results) candidates_with_results_.push_back(r.name);
}

Record RecordEvaluator::run() {
  parse_all();
  for (size_t i = 0; i < items_.size(); ++i) require(i);
  Record record;
  record.slots.reserve(items_.size());
  for (const EvaluatedItem& item : items_) {
    if (item.is_let) {
      if (item.state == ItemState::done) record.let.emplace_back(item.name, item.value);
      continue;
    }
    WrittenField& place = file_->layout.places[item.place];
    Slot slot{place.field, item.value, place.parent, place.node != nullptr, "", std::move(expressions_[item.place])};
    if (place.node && place.node->span.source) slot.span = place.node->span;
    if (place.node) slot.comment = place.node->comment;
    record.slots.emplace_back(file_->options.keep_open ? place.path : std::move(place.path), std::move(slot));
  }
  // Fields stand behind all of `let`, in the order of their slots.
  const size_t lets = items_.size() - record.slots.size();
  record.index = file_->options.keep_open ? file_->index : std::move(file_->index);
  std::erase_if(record.index, [&](const auto& row) { return row.second < lets; });
  for (auto& [name, index] : record.index) index -= lets;
  record.choices = std::move(choices_);
  record.list_sizes = std::move(file_->layout.list_sizes);
  record.map_keys = std::move(file_->layout.map_keys);
  return record;
}

// ---- order of evaluation

void RecordEvaluator::require(size_t index) {
  EvaluatedItem& item = items_[index];
  if (item.state != ItemState::fresh) return;
  item.state = ItemState::busy;
  stack_.push_back(index);
  std::optional<Value> value = file_->options.keep_open && reads_open(index) ? sample(index)
                               : item.is_let                                 ? evaluate_let(item)
                                                                             : evaluate_field(index);
  stack_.pop_back();
  item.state = value ? ItemState::done : ItemState::failed;
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
    text += std::string(items_[*it].name) + " -> ";
  }
  diagnostics_.error(place, "values refer to each other in a circle: " + text + std::string(items_[index].name));
}

std::optional<Value> RecordEvaluator::result_placeholder(const std::string& name) const {
  for (size_t i = 0; i < file_->options.results.size(); ++i)
    if (file_->options.results[i].name == name)
      return results_.empty() ? Value{Number{1, file_->options.results[i].dim}} : results_[i];
  return std::nullopt;
}

// Hints from the vocabulary or a list about an unknown name; "": the nearest names are used.
std::string RecordEvaluator::unknown_name_hint(const std::string& name, bool results) {
  const OtherName* other = file_->options.vocabulary.other_name(name);
  const std::vector<std::string>& known = results ? candidates_with_results_ : candidates_;
  if (other && std::find(known.begin(), known.end(), other->meant) != known.end())
    return other->advice.empty() ? did_you_mean({std::string(other->meant)}) : std::string(other->advice);
  return item_hint(name);
}

// A path into a list by a name, or by a number that it does not have.
std::string RecordEvaluator::item_hint(const std::string& name) {
  for (const auto& [list, size] : file_->layout.list_sizes) {
    if (!name.starts_with(list) || name.size() == list.size() || size == 0) continue;
    const std::string rest = name.substr(list.size());
    if (rest[0] == '[')
      return list + " has " + std::to_string(size) + " items, from [0] to [" + std::to_string(size - 1) + "]";
    if (rest[0] != '.') continue;
    const std::string item = rest.substr(1, rest.find('.', 1) - 1), field = rest.substr(1 + item.size());
    std::vector<std::string> names, paths;
    for (size_t i = 0; i < size; ++i) {
      const std::string path = list + "[" + std::to_string(i) + "]";
      const auto its = file_->index.find(path + ".name");
      const Node* node = its == file_->index.end() ? nullptr : node_of(items_[its->second]);
      names.push_back(node ? node->text : "");
      if (file_->index.contains(path + field)) paths.push_back(path + field);
    }
    const std::vector<std::string> near = similar(item, names);
    for (size_t i = 0; i < size && !near.empty(); ++i)
      if (names[i] == near[0]) return did_you_mean({list + "[" + std::to_string(i) + "]" + field});
    return did_you_mean(paths);
  }
  return "";
}

// The first field of a section, in alphabetical order; "" if there is no such section.
std::string RecordEvaluator::first_below(const std::string& section) const {
  const std::string inside = section + ".";
  std::string_view first;
  for (const EvaluatedItem& item : items_)
    if (item.name.starts_with(inside) && (first.empty() || item.name < first)) first = item.name;
  return std::string(first);
}

NameIndex::const_iterator RecordEvaluator::named(const std::string& name, size_t of) const {
  for (const ItemWord& row : file_->options.vocabulary.item_words) {
    if (!name.starts_with(row.word) || name.substr(row.word.size(), 1) != ".") continue;
    const std::string_view at = items_[of].name;
    if (!at.starts_with(row.list) || at.substr(row.list.size(), 1) != "[") continue;
    return file_->index.find(std::string(at.substr(0, at.find(']') + 1)) + name.substr(row.word.size()));
  }
  return file_->index.find(name);
}

std::optional<Value> RecordEvaluator::resolve(const std::string& name, Span place, bool results) {
  const auto it = stack_.empty() ? file_->index.find(name) : named(name, stack_.back());
  auto told = [&](const std::string& message, const std::string& hint = {}) {
    diagnostics_.error(place, message, hint);
    return Value{};
  };
  if (it == file_->index.end()) {
    std::optional<Value> result = result_placeholder(name);
    if (result && !results) return told("'" + name + "' is a result: it stands in 'where' and 'goal' only");
    if (result && result->is_null()) return told("'" + name + "' has no value in this plan");
    if (result) return result;
    list_candidates();
    if (const std::string hint = unknown_name_hint(name, results); !hint.empty())
      return told("unknown name '" + name + "'", hint);
    if (const std::string inside = first_below(name); !inside.empty())
      return told("'" + name + "' is a section, not a value", "name one of its fields, such as " + inside);
    return std::nullopt;
  }
  const size_t index = it->second;
  const EvaluatedItem& item = items_[index];
  if (item.state == ItemState::busy) return report_cycle(index, place), Value{};
  if (stack_.size() > kDeepestReference) return told("more than 200 values refer to each other in a row");
  if (const Field* field = field_of(item); field && field->type == Type::expression)
    return told("'" + std::string(item.name) + "' is a condition or goal, not a value");
  require(index);
  if (item.state == ItemState::done && item.value.is_null()) return told("'" + std::string(item.name) + "' is not set");
  return item.state == ItemState::done ? item.value : Value{};
}

// ---- where and goal

void RecordEvaluator::refuse_shape(const Field& field, const std::string& path, const Node& node) {
  const bool is_list = node.kind == Node::Kind::list, is_map = node.kind == Node::Kind::map;
  std::string hint;
  if (is_list && !node.items.empty() && node.items[0].kind == Node::Kind::scalar)
    hint = "write one of them, such as '" + node.items[0].text + "'";
  if (is_map && field.many)
    hint = "a condition is a comparison, such as " + std::string(file_->options.vocabulary.condition_example);
  else if (is_map) hint = "quote an expression that holds ': ' or braces";
  diagnostics_.error(node.span, mismatch(field, path, kind_name(node)), hint);
}

std::optional<Value> RecordEvaluator::expressions(size_t index) {
  const size_t at = items_[index].place;
  const WrittenField& place = file_->layout.places[at];
  const Field& field = *place.field;
  std::vector<const Node*> nodes;
  if (place.node && place.node->kind == Node::Kind::list && field.many)
    for (const Node& item : place.node->items) nodes.push_back(&item);
  else if (place.node && place.node->kind != Node::Kind::null) nodes.push_back(place.node);
  bool good = true;
  for (const Node* node : nodes) {
    if (node->kind != Node::Kind::scalar) {
      refuse_shape(field, place.path, *node);
      good = false;
      continue;
    }
    if (node->broken) {
      good = false;
      continue;
    }
    Expression e{parse_expression(node->text, node->span, diagnostics_), node->text, node->span, node->comment};
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
  const std::optional<Value> value = walked(*expression.tree, true, true);
  if (!value) return false;
  if (field.many && !std::holds_alternative<bool>(value->v)) {
    diagnostics_.error(
        expression.span, "expected a condition for " + field.path + ", got " + describe(*value),
        "compare it with something, such as " + std::string(file_->options.vocabulary.condition_example));
    return false;
  }
  if (!field.many && !std::holds_alternative<Number>(value->v)) {
    diagnostics_.error(expression.span,
                       "expected a number or quantity for " + field.path + ", got " + describe(*value));
    return false;
  }
  return true;
}

// Found in the order of dependence; reported in the order of the text.
void tell_in_order(const Diagnostics& found, Diagnostics& diagnostics) {
  const auto before = static_cast<std::ptrdiff_t>(diagnostics.list.size());
  diagnostics.append(found);
  std::stable_sort(diagnostics.list.begin() + before, diagnostics.list.end(),
                   [](const Diagnostic& a, const Diagnostic& b) {
                     const std::string none;
                     const std::string &x = a.span.source ? a.span.source->name : none,
                                       &y = b.span.source ? b.span.source->name : none;
                     return std::tie(x, a.span.line, a.span.column) < std::tie(y, b.span.line, b.span.column);
                   });
}

Record evaluate(const Node& tree, const Schema& schema, const EvaluateOptions& options, Diagnostics& diagnostics) {
  if (tree.broken) return {};
  RecordEvaluator evaluator(tree, schema, options);
  Record record = evaluator.run();
  tell_in_order(evaluator.diagnostics(), diagnostics);
  return record;
}

}  // namespace dsl
