#include <algorithm>
#include <array>

#include "planner/python/python_run.h"

namespace planner {
namespace {

using Form = PythonExpression::Kind;

constexpr int kDeepest = 400;
constexpr int kMostImports = 8;

}  // namespace

std::string PythonRun::key_of(const PythonValue& key, int depth) {
  if (key.is(Kind::none)) return "None";
  if (!key.is(Kind::list) || depth > 4) return key.text;
  std::string out;
  for (const PythonValue* item : key.items) out += (out.empty() ? "" : ", ") + key_of(*item, depth + 1);
  return "(" + out + ")";
}

PythonValue* PythonRun::open(const PythonExpression& e, const PythonScope& scope) {
  return make(Kind::unknown, place_of(e, scope), scope.module->file->text_of(e));
}

PythonValue* PythonRun::keep(PythonValue&& value, const PythonExpression& e, const PythonScope& scope) {
  if (value.is(Kind::unknown) && value.text.empty()) return open(e, scope);
  value.span = place_of(e, scope);
  values_.push_back(std::move(value));
  return &values_.back();
}

PythonValue* PythonRun::evaluate(const PythonExpression& e, PythonScope& scope) {
  if (failed_ || !count_steps(1, place_of(e.begin, scope))) return make(Kind::unknown, place_of(e.begin, scope));
  if (deep_ >= kDeepest) return fail(place_of(e.begin, scope), "this calls too much in one another");
  ++deep_;
  PythonValue* value = evaluate_known(e, scope);
  --deep_;
  return value;
}

PythonValue* PythonRun::evaluate_known(const PythonExpression& e, PythonScope& scope) {
  switch (e.kind) {
    case Form::name:
      return resolve(e.text, place_of(e, scope), scope);
    case Form::constant:
      if (e.text == "None") return make(Kind::none, place_of(e, scope));
      return make(Kind::boolean, place_of(e, scope), e.text == "True" ? "true" : "false");
    case Form::number:
      return make(Kind::number, place_of(e, scope), e.text);
    case Form::string:
      return make(Kind::string, place_of(e, scope), e.text);
    case Form::list:
      return evaluate_list(e, scope);
    case Form::dict:
      return evaluate_dict(e, scope);
    case Form::call:
      return evaluate_call(e, scope);
    case Form::attribute:
      return attribute(e, *evaluate(e.parts[0], scope), scope);
    case Form::subscript:
      return subscript(e, scope);
    case Form::unary:
      return keep(python_unary(e.text, *evaluate(e.parts[0], scope)), e, scope);
    case Form::binary:
      return evaluate_binary(e, scope);
    case Form::conditional:
      return evaluate_conditional(e, scope);
    case Form::naming: {
      PythonValue* value = evaluate(e.parts[0], scope);
      scope.names->set(e.text, place_of(e, scope), value);
      return value;
    }
    case Form::keyword:
    case Form::slice:
    case Form::star:
    case Form::double_star:
    case Form::opaque:
      break;
  }
  return open(e, scope);
}

PythonValue* PythonRun::evaluate_list(const PythonExpression& e, PythonScope& scope) {
  PythonValue* list = make(Kind::list, place_of(e.begin, scope));
  list->is_tuple = e.text == "(";
  for (const PythonExpression& part : e.parts) {
    const PythonValue* more = part.kind == Form::star ? evaluate(part.parts[0], scope) : nullptr;
    if (more && more->is(Kind::list) && count_steps(more->items.size(), more->span))
      list->items.insert(list->items.end(), more->items.begin(), more->items.end());
    else if (PythonValue* one = evaluate(part, scope); e.text != "{" || !holds(*list, *one)) list->items.push_back(one);
  }
  return list;
}

PythonValue* PythonRun::evaluate_dict(const PythonExpression& e, PythonScope& scope) {
  PythonValue* map = make(Kind::map, place_of(e.begin, scope));
  for (size_t i = 0; i < e.parts.size() && !failed_; ++i) {
    const PythonExpression& part = e.parts[i];
    const PythonValue* value = evaluate(part.kind == Form::double_star ? part.parts[0] : part, scope);
    if (!count_steps(1 + map->entries.size() / 16, value->span)) break;
    if (part.kind != Form::double_star) {
      if (++i < e.parts.size()) map->set(key_of(*value), value->span, evaluate(e.parts[i], scope));
    } else if (value->is(Kind::map) && !value->is_call()) {
      const std::vector<PythonValue::Item> more = value->entries;
      for (const PythonValue::Item& m : more)
        if (count_steps(1 + map->entries.size() / 16, value->span)) map->set(m.key, m.span, m.value);
    } else {
      map->set("**", value->span, open(part.parts[0], scope));
    }
  }
  return map;
}

PythonValue* PythonRun::evaluate_binary(const PythonExpression& e, PythonScope& scope) {
  PythonValue* left = evaluate(e.parts[0], scope);
  if (e.text == "and" || e.text == "or") {
    const auto truth = python_truth(*left);
    if (!truth) return open(e, scope);
    return *truth == (e.text == "or") ? left : evaluate(e.parts[1], scope);
  }
  const PythonValue* right = evaluate(e.parts[1], scope);
  const bool joins_lists = e.text == "+" && left->is(Kind::list) && right->is(Kind::list),
             joins_maps = e.text == "|" && left->is(Kind::map) && right->is(Kind::map) && !left->is_call();
  if (!joins_lists && !joins_maps) return keep(python_binary(e.text, *left, *right), e, scope);
  PythonValue* both = copy(*left, false);
  both->span = place_of(e, scope);
  if (joins_lists) extend(*both, *right, scope.module->file->text_of(e.parts[1]));
  else update(*both, *right);
  return both;
}

/// "list[from:to]": a part of a list whose ends are known.
PythonValue* PythonRun::slice(const PythonExpression& e, const PythonValue& of, PythonScope& scope) {
  const PythonExpression& range = e.parts[1];
  const auto size = static_cast<long long>(of.items.size());
  std::array<long long, 2> ends{0, size};
  for (size_t i = 0; i < ends.size(); ++i) {
    const PythonValue* end = evaluate(range.parts[i], scope);
    if (end->is(Kind::none)) continue;
    const auto at = python_whole(*end);
    if (!at || !of.is(Kind::list) || of.is_partly_open()) return open(e, scope);
    ends[i] = std::clamp(*at < 0 ? *at + size : *at, 0LL, size);
  }
  if (!of.is(Kind::list) || of.is_partly_open()) return open(e, scope);
  PythonValue* part = make(Kind::list, place_of(e, scope));
  part->is_tuple = of.is_tuple;
  if (ends[0] < ends[1]) part->items.assign(of.items.begin() + ends[0], of.items.begin() + ends[1]);
  return part;
}

PythonValue* PythonRun::evaluate_conditional(const PythonExpression& e, PythonScope& scope) {
  const auto truth = python_truth(*evaluate(e.parts[0], scope));
  return truth ? evaluate(e.parts[*truth ? 1 : 2], scope) : open(e, scope);
}

PythonValue* PythonRun::attribute(const PythonExpression& e, PythonValue& of, PythonScope& scope) {
  if (of.is(Kind::map)) {
    if (const PythonValue* found = of.find(e.text)) return const_cast<PythonValue*>(found);
    const PythonValue* was = of.find("=");
    return was ? make(Kind::unknown, place_of(e, scope), was->text + "." + e.text) : open(e, scope);
  }
  if (!of.is(Kind::unknown)) return open(e, scope);
  for (PythonModule& module : modules_)
    if (!module.is_main && module.stem() == last_python_name(of.text))
      if (PythonValue* found = find_in(module, e.text, 0)) return found;
  return make(Kind::unknown, place_of(e, scope), of.text + "." + e.text);
}

PythonValue* PythonRun::subscript(const PythonExpression& e, PythonScope& scope) {
  PythonValue* of = evaluate(e.parts[0], scope);
  if (e.parts[1].kind == Form::slice) return slice(e, *of, scope);
  const PythonValue* key = evaluate(e.parts[1], scope);
  if (of->is(Kind::map))
    if (const PythonValue* found = of->find(key_of(*key))) return const_cast<PythonValue*>(found);
  if (const auto at = python_place(*of, *key)) return of->items[*at];
  return open(e, scope);
}

void PythonRun::make_map(PythonValue& value, const PythonExpression& e, const PythonScope& scope) {
  if (value.is(Kind::map)) return;
  if (!value.is(Kind::unknown) && !value.is(Kind::none)) {
    fail(place_of(e, scope), "'" + dsl::shortened(scope.module->file->text_of(e)) + "' holds a value, not names");
    return;
  }
  PythonValue* was = value.is(Kind::none) ? nullptr : make(Kind::unknown, value.span, value.text);
  value.kind = Kind::map;
  value.text.clear();
  if (was) value.set("=", was->span, was);
}

PythonValue* PythonRun::holder(const PythonExpression& e, PythonScope& scope) {
  PythonValue* value = nullptr;
  if (e.kind == Form::attribute) {
    PythonValue* of = holder(e.parts[0], scope);
    if (failed_) return of;
    value = const_cast<PythonValue*>(of->find(e.text));
    if (!value) of->set(e.text, place_of(e.end - 1, scope), value = make(Kind::map, place_of(e, scope)));
  } else {
    value = evaluate(e, scope);
    if (failed_) return value;
    const PythonScope* in = &scope;
    while (in && !in->names->find(e.text)) in = in->outer;
    if (e.kind == Form::name && value->is(Kind::unknown) && !in)
      scope.module->scope->names->set(e.text, value->span, value);
  }
  make_map(*value, e, scope);
  return value;
}

PythonValue* PythonRun::find_in(PythonModule& module, const std::string& name, int depth) {
  names_of(module);
  if (const PythonValue* found = module.scope->names->find(name)) return const_cast<PythonValue*>(found);
  const auto import = module.imports.find(name);
  if (import == module.imports.end() || import->second.origin.empty() || depth > kMostImports) return nullptr;
  return find_elsewhere(module, import->second.module, import->second.origin, depth + 1);
}

PythonValue* PythonRun::find_elsewhere(const PythonModule& from, const std::string& module, const std::string& name,
                                       int depth) {
  if (depth > kMostImports || !count_steps(1, from.lines.at(0, 1))) return nullptr;
  PythonModule* likest = nullptr;
  for (PythonModule& other : modules_)
    if (&other != &from && other.likeness(module) > (likest ? likest->likeness(module) : 0)) likest = &other;
  if (likest)
    if (PythonValue* found = find_in(*likest, name, depth + 1)) return found;
  for (PythonModule& other : modules_)
    if (&other != &from)
      if (const PythonValue* found = names_of(other)->find(name)) return const_cast<PythonValue*>(found);
  return nullptr;
}

PythonValue* PythonRun::resolve(const std::string& name, const dsl::Span& place, PythonScope& scope) {
  for (const PythonScope* s = &scope; s; s = s->outer) {
    if (!count_steps(s->names->entries.size() / 16, place)) return make(Kind::unknown, place);
    if (const PythonValue* found = s->names->find(name)) return const_cast<PythonValue*>(found);
  }
  if (name == "__name__") return make(Kind::string, place, scope.module->is_main ? "__main__" : scope.module->stem());
  if (name == "TYPE_CHECKING") return make(Kind::boolean, place, "false");
  const auto import = scope.module->imports.find(name);
  const bool is_import = import != scope.module->imports.end();
  const std::string origin = is_import && !import->second.origin.empty() ? import->second.origin : name;
  PythonValue* found = nullptr;
  if (!is_import || !import->second.origin.empty())
    found = find_elsewhere(*scope.module, is_import ? import->second.module : "", origin, 0);
  return found ? found : make(Kind::unknown, place, origin);
}

}  // namespace planner
