#include <algorithm>
#include <array>

#include "planner/python/python_run.h"

namespace planner {
namespace {

using Form = PythonExpression::Kind;

constexpr int kMostCalls = 32;
constexpr int kDeepestCopy = 64;
constexpr long kLongestRange = 10'000;

bool is_plain_map(const PythonValue& v) { return v.is(PythonValue::Kind::map) && !v.is_call(); }

}  // namespace

PythonRun::Arguments PythonRun::arguments(const PythonExpression& e, PythonScope& scope) {
  Arguments out;
  for (size_t i = 1; i < e.parts.size() && !failed_; ++i) {
    const PythonExpression& part = e.parts[i];
    const bool has_part = part.kind == Form::keyword || part.kind == Form::star || part.kind == Form::double_star;
    PythonValue* value = evaluate(has_part ? part.parts[0] : part, scope);
    const dsl::Span place = place_of(part.begin, scope);
    if (!count_steps(1 + value->items.size() + value->entries.size(), place)) break;
    if (part.kind == Form::keyword) out.names.push_back({part.text, place, value});
    else if (part.kind == Form::star && value->is(Kind::list))
      out.places.insert(out.places.end(), value->items.begin(), value->items.end());
    else if (part.kind == Form::double_star && is_plain_map(*value))
      out.names.insert(out.names.end(), value->entries.begin(), value->entries.end());
    else if (has_part) out.open.push_back({part.text, place, value});
    else out.places.push_back(value);
  }
  return out;
}

PythonValue* PythonRun::evaluate_call(const PythonExpression& e, PythonScope& scope) {
  const PythonExpression& callee = e.parts[0];
  PythonValue* of = nullptr;
  const PythonValue* function = nullptr;
  if (callee.kind == Form::attribute) {
    of = evaluate(callee.parts[0], scope);
    if (failed_) return of;
    if (PythonValue* done = call_method(e, of, scope)) return done;
    function = attribute(callee, *of, scope);
  } else {
    function = evaluate(callee, scope);
  }
  const Arguments given = arguments(e, scope);
  if (failed_) return make(Kind::unknown, place_of(e.begin, scope));
  if (function->is(Kind::function)) return invoke(*function, given, place_of(e.begin, scope));
  if (function->is(Kind::unknown))
    if (PythonValue* done = call_builtin(function->text, e, given, scope)) return done;
  recorded_ = call_record(e, *function, of, given, scope);
  return recorded_;
}

/// What is called, and with what: a map. `of`: whose method it is.
PythonValue* PythonRun::call_record(const PythonExpression& e, const PythonValue& callee, PythonValue* of,
                                    const Arguments& given, const PythonScope& scope) {
  const dsl::Span place = place_of(e.begin, scope);
  PythonValue* map = make(Kind::map, place);
  std::string name = callee.is(Kind::unknown) ? callee.text : scope.module->file->text_of(e.parts[0]);
  const bool is_method = of && of->is(Kind::map);
  if (is_method && of->is_call()) name = of->entries[0].value->text + "()." + e.parts[0].text;
  if (name.size() > 1000) name = dsl::shortened(name);
  map->set("()", place, make(Kind::unknown, place_of(e.parts[0], scope), std::move(name)));
  if (is_method) map->set(".", place, of);
  for (size_t i = 0; i < given.places.size(); ++i)
    map->entries.push_back({"[" + std::to_string(i) + "]", given.places[i]->span, given.places[i]});
  for (const PythonValue::Item& n : given.names)
    if (count_steps(1 + map->entries.size() / 16, place)) map->set(n.key, n.span, n.value);
  for (const PythonValue::Item& o : given.open) map->set(o.key, o.span, o.value);
  return map;
}

PythonValue* PythonRun::invoke(const PythonValue& function, const Arguments& given, const dsl::Span& place) {
  if (calls_deep_ >= kMostCalls) return fail(place, "calls nest more than " + std::to_string(kMostCalls) + " deep");
  PythonScope& scope = scopes_.emplace_back();
  scope.module = function.scope->module;
  scope.outer = function.scope;
  scope.names = make(Kind::map, place);
  if (!bind(function, given, scope, place)) return make(Kind::unknown, place);
  ++calls_deep_;
  given_ = nullptr;
  const bool has_value = run(function.function->body, scope) == Flow::give && given_;
  PythonValue* value = has_value ? given_ : make(Kind::none, place);
  given_ = nullptr;
  recorded_ = nullptr;
  --calls_deep_;
  return value;
}

bool PythonRun::bind(const PythonValue& function, const Arguments& given, PythonScope& scope, const dsl::Span& place) {
  const std::string& name = function.text;
  if (!given.open.empty()) fail(given.open[0].span, "this file does not say what is passed to '" + name + "' here");
  std::vector<PythonValue::Item> named = given.names;
  size_t next = 0;
  bool takes_places = true;
  const std::vector<PythonParameter>& parameters = function.function->parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const PythonParameter& p = parameters[i];
    PythonValue* value = nullptr;
    const auto by_name = std::ranges::find(named, p.name, &PythonValue::Item::key);
    if (p.takes_rest) {
      takes_places = false;
      value = make(Kind::list, place);
      value->is_tuple = true;
      if (!p.name.empty())
        for (; next < given.places.size(); ++next) value->items.push_back(given.places[next]);
    } else if (p.takes_keywords) {
      value = make(Kind::map, place);
      value->entries = std::move(named);
      named.clear();
    } else if (takes_places && next < given.places.size()) {
      value = given.places[next++];
    } else if (by_name != named.end()) {
      value = by_name->value;
      named.erase(by_name);
    } else {
      value = function.absent[i] ? function.absent[i] : make(Kind::unknown, place, p.name);
    }
    if (!p.name.empty()) scope.names->set(p.name, value->span, value);
  }
  if (!named.empty()) fail(named[0].span, "'" + name + "' takes no argument '" + named[0].key + "'");
  if (next < given.places.size()) fail(given.places[next]->span, "'" + name + "' takes fewer arguments");
  return !failed_;
}

PythonValue* PythonRun::copy(const PythonValue& value, bool is_deep, int depth) {
  if (depth > kDeepestCopy || !count_steps(1 + value.items.size() + value.entries.size(), value.span))
    return fail(value.span, "what this file makes is too large, or holds itself");
  values_.push_back(value);
  PythonValue* out = &values_.back();
  if (!is_deep || out->is(Kind::function)) return out;
  for (PythonValue*& item : out->items) item = copy(*item, true, depth + 1);
  for (PythonValue::Item& e : out->entries) e.value = copy(*e.value, true, depth + 1);
  return out;
}

PythonValue* PythonRun::call_method(const PythonExpression& e, PythonValue*& of, PythonScope& scope) {
  const std::string& name = e.parts[0].text;
  const bool adds = name == "append" || name == "extend";
  if (adds && of->is(Kind::unknown) && e.parts[0].parts[0].kind == Form::attribute) {
    PythonValue* holds = holder(e.parts[0].parts[0].parts[0], scope);
    if (failed_) return holds;
    of = make(Kind::list, of->span);
    holds->set(e.parts[0].parts[0].text, of->span, of);
  }
  if (of->is(Kind::list)) return call_list_method(name, e, *of, scope);
  if (is_plain_map(*of)) return call_dict_method(name, e, *of, scope);
  if (of->is(Kind::string)) return keep(python_string_method(name, *of, arguments(e, scope).places), e, scope);
  return nullptr;
}

PythonValue* PythonRun::call_list_method(const std::string& name, const PythonExpression& e, PythonValue& of,
                                         PythonScope& scope) {
  if (name == "copy") return copy(of, false);
  if (name == "clear" || (name == "reverse" && !of.is_partly_open() && count_steps(of.items.size(), of.span))) {
    if (name == "clear") of.items.clear();
    std::ranges::reverse(of.items);
    return make(Kind::none, of.span);
  }
  if (name == "remove" || name == "sort" || name == "reverse")
    return fail(place_of(e, scope), "what '" + name + "' makes of a list is not worked out",
                "put the finished list in its place");
  if (name != "append" && name != "extend" && name != "insert" && name != "pop") return nullptr;
  const Arguments given = arguments(e, scope);
  if (failed_ || (given.places.empty() && name != "pop")) return make(Kind::none, of.span);
  PythonValue* last = given.places.empty() ? nullptr : given.places.back();
  if (name == "insert" || name == "pop") return call_at_place(e, given, of, scope);
  if (name == "extend") {
    extend(of, *last, scope.module->file->text_of(e.parts[1]));
  } else {
    of.items.push_back(last);
  }
  return make(Kind::none, of.span);
}

/// `insert` and `pop` of a list.
PythonValue* PythonRun::call_at_place(const PythonExpression& e, const Arguments& given, PythonValue& of,
                                      PythonScope& scope) {
  const PythonValue* key = given.places.empty() ? make(Kind::number, of.span, "-1") : given.places[0];
  auto at = python_place(of, *key);
  const bool inserts = e.parts[0].text == "insert" && given.places.size() == 2, is_known = !of.is_partly_open();
  if (!at && inserts && is_known && key->is(Kind::number)) at = key->text[0] == '-' ? 0 : of.items.size();
  if (!at || !count_steps(of.items.size(), of.span))
    return fail(place_of(e, scope), "this file does not say which place of the list this is");
  const auto place = of.items.begin() + static_cast<long>(*at);
  if (inserts) {
    of.items.insert(place, given.places[1]);
    return make(Kind::none, of.span);
  }
  PythonValue* taken = *place;
  of.items.erase(place);
  return taken;
}

PythonValue* PythonRun::call_dict_method(const std::string& name, const PythonExpression& e, PythonValue& of,
                                         PythonScope& scope) {
  if (name == "copy") return copy(of, false);
  if (name == "clear") {
    of.entries.clear();
    return make(Kind::none, of.span);
  }
  const bool gets = name == "get" || name == "pop" || name == "setdefault";
  if (!gets && name != "update" && name != "items" && name != "keys" && name != "values") return nullptr;
  const Arguments given = arguments(e, scope);
  if (failed_ || !count_steps(of.entries.size(), of.span)) return make(Kind::none, of.span);
  if (gets && !given.places.empty()) {
    const std::string key = key_of(*given.places[0]);
    PythonValue* found = const_cast<PythonValue*>(of.find(key));
    const bool is_open = of.is_partly_open() || (given.places[0]->is(Kind::unknown) && !of.entries.empty());
    if (!found && is_open) return open(e, scope);
    if (name == "pop") of.erase(key);
    PythonValue* value = found ? found : given.places.size() > 1 ? given.places[1] : make(Kind::none, of.span);
    if (!found && name == "setdefault") of.set(key, value->span, value);
    return value;
  }
  if (name == "update") {
    for (const PythonValue* place : given.places) update(of, *place);
    for (const PythonValue::Item& o : given.open) update(of, *o.value);
    for (const PythonValue::Item& m : given.names)
      if (count_steps(1 + of.entries.size() / 16, m.span)) of.set(m.key, m.span, m.value);
    return make(Kind::none, of.span);
  }
  PythonValue* list = make(Kind::list, of.span);
  for (const PythonValue::Item& entry : of.entries) {
    PythonValue* key = make(Kind::string, entry.span, entry.key);
    PythonValue* pair = make(Kind::list, entry.span);
    pair->items = {key, entry.value};
    list->items.push_back(name == "items" ? pair : name == "keys" ? key : entry.value);
  }
  return list;
}

PythonValue* PythonRun::call_builtin(const std::string& name, const PythonExpression& e, const Arguments& given,
                                     PythonScope& scope) {
  const std::string last(last_python_name(name));
  if (!given.open.empty()) return nullptr;
  if (name == "dict" && (given.places.empty() || is_plain_map(*given.places[0]))) {
    PythonValue* map = given.places.empty() ? make(Kind::map, place_of(e.begin, scope)) : copy(*given.places[0], false);
    for (const PythonValue::Item& n : given.names) map->set(n.key, n.span, n.value);
    return map;
  }
  if ((name == "list" || name == "tuple") && given.names.empty()) {
    PythonValue* list = list_of(e, given, scope);
    if (list) list->is_tuple = name == "tuple";
    return list;
  }
  if (name == "range") return range_of(given, place_of(e.begin, scope));
  if (last == "cast" && given.places.size() == 2) return given.places[1];
  if (last == "deepcopy" && given.places.size() == 1) return copy(*given.places[0], true);
  if (name == "copy.copy" && given.places.size() == 1) return copy(*given.places[0], false);
  if ((name == "dataclasses.replace" || name == "replace") && given.places.size() == 1) {
    PythonValue* out = copy(*given.places[0], false);
    if (!out->is(Kind::map)) make_map(*out, e, scope);
    for (const PythonValue::Item& n : given.names) out->set(n.key, n.span, n.value);
    return out;
  }
  if (PythonValue* done = call_on_attributes(name, e, given)) return done;
  PythonValue value = given.names.empty() ? python_builtin(name, given.places) : PythonValue{};
  return value.is(Kind::unknown) ? nullptr : keep(std::move(value), e, scope);
}

PythonValue* PythonRun::list_of(const PythonExpression& e, const Arguments& given, const PythonScope& scope) {
  if (given.places.empty()) return make(Kind::list, place_of(e.begin, scope));
  return given.places.size() == 1 && given.places[0]->is(Kind::list) ? copy(*given.places[0], false) : nullptr;
}

PythonValue* PythonRun::range_of(const Arguments& given, const dsl::Span& place) {
  const bool is_fit = !given.places.empty() && given.places.size() <= 2;
  std::vector<long> ends = {0};
  for (const PythonValue* v : given.places) {
    if (!is_fit || !v->is(Kind::number) || v->text.size() > 6 || v->text.find('.') != std::string::npos) return nullptr;
    ends.push_back(std::strtol(v->text.c_str(), nullptr, 10));
  }
  const long begin = ends.size() == 3 ? ends[1] : 0, end = ends.back();
  if (!is_fit || end - begin > kLongestRange) return nullptr;
  PythonValue* list = make(Kind::list, place);
  for (long i = begin; i < end && count_steps(1, place); ++i)
    list->items.push_back(make(Kind::number, place, std::to_string(i)));
  return list;
}

/// A literal's class is known; an object's is where it is that of the call that made it.
PythonValue* PythonRun::is_instance(const PythonValue& of, const PythonValue& type) {
  constexpr std::array<std::string_view, 9> kOfMany = {"object", "Mapping", "MutableMapping", "Sequence", "Iterable",
                                                       "Number", "Real",    "Integral",       "Hashable"};
  if (std::ranges::find(kOfMany, last_python_name(type.text)) != kOfMany.end()) return nullptr;
  if (!type.is(Kind::unknown) || of.is(Kind::unknown) || of.is(Kind::function)) return nullptr;
  const bool is_same = of.is_call() && last_python_name(of.entries[0].value->text) == last_python_name(type.text);
  if (of.is_call()) return is_same ? make(Kind::boolean, of.span, "true") : nullptr;
  const bool is_whole = of.is(Kind::number) && of.text.find_first_of(".e") == std::string::npos;
  const std::string_view name = of.is(Kind::string)    ? "str"
                                : of.is(Kind::boolean) ? "bool"
                                : of.is(Kind::map)     ? "dict"
                                : of.is(Kind::number)  ? (is_whole ? "int" : "float")
                                                       : "None";
  if (of.is(Kind::list))
    return type.text == "list" || type.text == "tuple" ? nullptr : make(Kind::boolean, of.span, "false");
  const bool is_also = of.is(Kind::boolean) && type.text == "int";
  return make(Kind::boolean, of.span, name == type.text || is_also ? "true" : "false");
}

PythonValue* PythonRun::call_on_attributes(const std::string& name, const PythonExpression& e, const Arguments& given) {
  if (given.places.size() < 2) return nullptr;
  PythonValue& of = *given.places[0];
  const PythonValue& key = *given.places[1];
  const dsl::Span& place = of.span;
  if (name == "isinstance") return is_instance(of, key);
  if (!key.is(Kind::string) || !of.is(Kind::map) || e.parts.size() < 3) return nullptr;
  const PythonValue* found = of.find(key.text);
  if (name == "hasattr" && found) return make(Kind::boolean, place, "true");
  if (name == "getattr" && found) return const_cast<PythonValue*>(found);
  if (name != "setattr" || given.places.size() != 3) return nullptr;
  of.set(key.text, key.span, given.places[2]);
  return make(Kind::none, place);
}

}  // namespace planner
