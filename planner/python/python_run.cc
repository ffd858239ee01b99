#include "planner/python/python_run.h"

#include <algorithm>
#include <array>

namespace planner {
namespace {

using Statement = PythonStatement::Kind;
using Form = PythonExpression::Kind;

constexpr size_t kMostSteps = 2'000'000;

/// Calls that say something, and change nothing.
constexpr std::array<std::string_view, 6> kSaying = {"print", "log", "logger", "_logger", "logging", "warnings"};

bool only_says(const PythonExpression& call, const PythonFile& file) {
  const std::string_view first = file.word(call.begin);
  if (call.kind == Form::conditional || call.text == "and" || call.text == "or") return false;
  return call.kind != Form::call || std::ranges::find(kSaying, first) != kSaying.end();
}

std::vector<std::string> parts_of(std::string_view name, const char* signs) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= name.size();) {
    const size_t end = std::min(name.find_first_of(signs, at), name.size());
    parts.emplace_back(name.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

}  // namespace

size_t PythonModule::likeness(std::string_view module) const {
  const std::vector<std::string> parts = parts_of(module, ".");
  size_t same = 0;
  while (same < parts.size() && same < path.size() && parts[parts.size() - 1 - same] == path[path.size() - 1 - same])
    ++same;
  return same;
}

PythonModule* PythonRun::add(const dsl::Source& source) {
  auto file = read_python(source, diagnostics_);
  if (!file) {
    failed_ = true;
    return nullptr;
  }
  std::vector<std::string> path = parts_of(source.name, "/\\");
  path.back() = path.back().substr(0, path.back().find('.'));
  modules_.push_back({std::move(file), dsl::LineMap(source), std::move(path), {}, nullptr, false});
  return &modules_.back();
}

PythonValue* PythonRun::make(Kind kind, const dsl::Span& span, std::string text) {
  PythonValue& v = values_.emplace_back();
  v.kind = kind;
  v.span = span;
  v.text = std::move(text);
  return &v;
}

PythonValue* PythonRun::fail(const dsl::Span& span, const std::string& message, const std::string& hint) {
  if (!failed_) diagnostics_.error(span, message, hint);
  failed_ = true;
  return make(Kind::unknown, span);
}

bool PythonRun::count_steps(size_t steps, const dsl::Span& span) {
  steps_ += steps;
  if (steps_ > kMostSteps) fail(span, "this file takes more than " + std::to_string(kMostSteps) + " steps");
  return !failed_;
}

dsl::Span PythonRun::place_of(size_t token, const PythonScope& scope) const {
  const PythonToken& t = scope.module->file->tokens[token];
  return scope.module->lines.at(t.begin, std::max<size_t>(t.end - t.begin, 1));
}

dsl::Span PythonRun::place_of(const PythonExpression& e, const PythonScope& scope) const {
  const PythonFile& file = *scope.module->file;
  const size_t begin = file.tokens[e.begin].begin, end = file.tokens[std::max(e.end, e.begin + 1) - 1].end;
  const bool is_one_line = file.source->text.substr(begin, end - begin).find('\n') == std::string::npos;
  return is_one_line ? scope.module->lines.at(begin, end - begin) : place_of(e.begin, scope);
}

PythonValue* PythonRun::names_of(PythonModule& module) {
  if (!module.scope) {
    module.scope = &scopes_.emplace_back();
    module.scope->module = &module;
    module.scope->names = make(Kind::map, module.lines.at(0, 1));
    run(module.file->statements, *module.scope);
  }
  return module.scope->names;
}

PythonValue* PythonRun::call(PythonModule& module, const std::string& function) {
  PythonValue* found = find_in(module, function, 0);
  if (failed_) return nullptr;
  const dsl::Span place = module.lines.at(0, 1);
  if (!found || !found->is(Kind::function)) {
    fail(place, "the file has no function '" + function + "'");
    return nullptr;
  }
  PythonValue* value = invoke(*found, {}, place);
  return failed_ ? nullptr : value;
}

PythonRun::Flow PythonRun::run(const std::vector<PythonStatement>& statements, PythonScope& scope) {
  for (const PythonStatement& s : statements) {
    const Flow flow = run(s, scope);
    if (failed_ || flow != Flow::on) return flow;
  }
  return Flow::on;
}

PythonRun::Flow PythonRun::run(const PythonStatement& s, PythonScope& scope) {
  if (!count_steps(1, place_of(s.token, scope))) return Flow::give;
  switch (s.kind) {
    case Statement::expression:
      run_expression(s, scope);
      break;
    case Statement::assign: {
      PythonValue* value = evaluate(s.expressions.back(), scope);
      for (size_t i = 0; i + 1 < s.expressions.size(); ++i) assign(s.expressions[i], value, scope);
      break;
    }
    case Statement::augment:
      augment(s, scope);
      break;
    case Statement::give:
      given_ = s.expressions.empty() ? nullptr : evaluate(s.expressions[0], scope);
      return Flow::give;
    case Statement::branch:
      return run_branch(s, scope);
    case Statement::loop:
      return run_loop(s, scope);
    case Statement::repeat:
      return run_repeat(s, scope);
    case Statement::block:
      return run(s.body, scope);
    case Statement::function: {
      PythonValue* value = make(Kind::function, place_of(s.token, scope), s.text);
      value->function = &s;
      value->scope = &scope;
      for (const PythonParameter& p : s.parameters)
        value->absent.push_back(p.absent ? evaluate(*p.absent, scope) : nullptr);
      scope.names->set(s.text, value->span, value);
      break;
    }
    case Statement::raise:
      fail(place_of(s.token, scope), "the file gives up here");
      break;
    case Statement::leave:
      return s.text == "break" ? Flow::leave : Flow::again;
    case Statement::take_in:
      scope.module->imports[s.text] = {s.module, s.origin};
      scope.names->erase(s.text);
      break;
    case Statement::make_global: {
      if (s.module != "global" && !scope.outer) {
        fail(place_of(s.token, scope), "this is no Python: 'nonlocal' outside of a function");
        break;
      }
      const PythonScope* in = s.module == "global" ? scope.module->scope : scope.outer;
      while (in->outer && !in->names->find(s.text)) in = in->outer;
      scope.elsewhere[s.text] = in->names;
      break;
    }
    case Statement::remove:
      remove(s.expressions[0], scope);
      break;
  }
  return Flow::on;
}

void PythonRun::run_expression(const PythonStatement& s, PythonScope& scope) {
  const PythonExpression& e = s.expressions[0];
  if (scope.module->file->word(e.begin) == "yield")
    fail(place_of(e, scope), "what 'yield' gives is not worked out", "return a list");
  if (failed_ || only_says(e, *scope.module->file)) return;
  recorded_ = nullptr;
  PythonValue* value = evaluate(e, scope);
  if (e.kind == Form::conditional && !failed_ && value->span.column == place_of(e, scope).column &&
      value->is(Kind::unknown))
    refuse_open(e.parts[0], scope);
  if (value == recorded_) calls_.push_back(value);
}

bool PythonRun::has_effect(const std::vector<PythonStatement>& statements, const PythonScope& scope) const {
  return std::ranges::any_of(statements, [&](const PythonStatement& s) {
    if (s.kind == Statement::raise || s.kind == Statement::take_in) return false;
    if (s.kind == Statement::expression) return !only_says(s.expressions[0], *scope.module->file);
    const bool has_parts = s.kind == Statement::branch || s.kind == Statement::loop || s.kind == Statement::repeat ||
                           s.kind == Statement::block;
    return !has_parts || has_effect(s.body, scope) || has_effect(s.otherwise, scope);
  });
}

void PythonRun::refuse_open(const PythonExpression& condition, const PythonScope& scope) {
  const std::string text = dsl::shortened(scope.module->file->text_of(condition));
  fail(place_of(condition, scope), "this file does not say what '" + text + "' is, and a setting depends on it",
       "put a value in its place");
}

PythonRun::Flow PythonRun::run_branch(const PythonStatement& s, PythonScope& scope) {
  const auto truth = python_truth(*evaluate(s.expressions[0], scope));
  if (failed_) return Flow::give;
  if (truth) return run(*truth ? s.body : s.otherwise, scope);
  if (has_effect(s.body, scope) || has_effect(s.otherwise, scope)) refuse_open(s.expressions[0], scope);
  return Flow::on;
}

PythonRun::Flow PythonRun::run_repeat(const PythonStatement& s, PythonScope& scope) {
  while (!failed_) {
    const auto truth = python_truth(*evaluate(s.expressions[0], scope));
    if (!truth && has_effect(s.body, scope)) refuse_open(s.expressions[0], scope);
    if (!truth || !*truth) return run(s.otherwise, scope);
    const Flow flow = run(s.body, scope);
    if (flow == Flow::give) return flow;
    if (flow == Flow::leave || !count_steps(1, place_of(s.token, scope))) break;
  }
  return Flow::on;
}

PythonRun::Flow PythonRun::run_loop(const PythonStatement& s, PythonScope& scope) {
  const PythonValue* all = evaluate(s.expressions[1], scope);
  if (failed_) return Flow::give;
  std::vector<PythonValue*> items = all->items;
  if (all->is(Kind::map) && !all->is_call() && !all->is_partly_open())
    for (const PythonValue::Item& e : all->entries) items.push_back(make(Kind::string, e.span, e.key));
  else if (!all->is(Kind::list) || all->is_partly_open()) {
    if (has_effect(s.body, scope)) refuse_open(s.expressions[1], scope);
    return run(s.otherwise, scope);
  }
  for (PythonValue* item : items) {
    assign(s.expressions[0], item, scope);
    const Flow flow = run(s.body, scope);
    if (failed_ || flow == Flow::give) return flow;
    if (flow == Flow::leave) return Flow::on;
  }
  return run(s.otherwise, scope);
}

void PythonRun::assign(const PythonExpression& target, PythonValue* value, PythonScope& scope) {
  if (failed_) return;
  const dsl::Span place = place_of(target.end - 1, scope);
  if (target.kind == Form::name) {
    const auto elsewhere = scope.elsewhere.find(target.text);
    (elsewhere == scope.elsewhere.end() ? scope.names : elsewhere->second)->set(target.text, place, value);
  } else if (target.kind == Form::attribute) {
    PythonValue* of = holder(target.parts[0], scope);
    if (!failed_) of->set(target.text, place, value);
  } else if (target.kind == Form::subscript) {
    PythonValue* of = evaluate(target.parts[0], scope);
    const PythonValue* key = evaluate(target.parts[1], scope);
    if (const auto at = python_place(*of, *key)) of->items[*at] = value;
    else if (of = holder(target.parts[0], scope); !failed_)
      of->set(key_of(*key), place_of(target.parts[1], scope), value);
  } else if (target.kind == Form::list) {
    assign_parts(target, value, scope);
  } else {
    fail(place_of(target, scope), "this is no Python: nothing can be put here");
  }
}

/// "a, *b = value".
void PythonRun::assign_parts(const PythonExpression& target, PythonValue* value, PythonScope& scope) {
  const std::vector<PythonExpression>& parts = target.parts;
  const auto star = std::ranges::find(parts, Form::star, &PythonExpression::kind);
  const bool is_known = value->is(Kind::list) && !value->is_partly_open(), has_star = star != parts.end();
  const size_t given = value->items.size();
  if (is_known && (has_star ? given + 1 < parts.size() : given != parts.size()))
    return static_cast<void>(fail(place_of(target, scope), "expected " + std::to_string(parts.size() - has_star) +
                                                               (has_star ? " values or more, got " : " values, got ") +
                                                               std::to_string(given)));
  const std::string text = value->is_call() ? value->entries[0].value->text + "()" : value->text;
  size_t next = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool is_star = parts[i].kind == Form::star;
    const size_t count = is_star && is_known ? given + 1 - parts.size() : 1;
    PythonValue* part = nullptr;
    if (!is_known) part = make(Kind::unknown, value->span, text + "[" + std::to_string(i) + (is_star ? ":]" : "]"));
    else if (!is_star) part = value->items[next];
    else {
      part = make(Kind::list, value->span);
      part->items.assign(value->items.begin() + long(next), value->items.begin() + long(next + count));
    }
    next += count;
    assign(is_star ? parts[i].parts[0] : parts[i], part, scope);
  }
}

void PythonRun::remove(const PythonExpression& target, PythonScope& scope) {
  if (target.kind == Form::list) {
    for (const PythonExpression& part : target.parts) remove(part, scope);
    return;
  }
  if (target.kind == Form::name) {
    const auto elsewhere = scope.elsewhere.find(target.text);
    return (elsewhere == scope.elsewhere.end() ? scope.names : elsewhere->second)->erase(target.text);
  }
  if (target.kind != Form::attribute && target.kind != Form::subscript) return;
  PythonValue* of = evaluate(target.parts[0], scope);
  const PythonValue* key = target.kind == Form::subscript ? evaluate(target.parts[1], scope) : nullptr;
  if (failed_ || of->is(Kind::unknown)) return;
  if (of->is(Kind::map) && !(key && key->is(Kind::unknown))) return of->erase(key ? key_of(*key) : target.text);
  const auto at = key ? python_place(*of, *key) : std::nullopt;
  if (!at) fail(place_of(target, scope), "this file does not say what is deleted here");
  else of->items.erase(of->items.begin() + static_cast<long>(*at));
}

/// "list += more"; `text`: what `more` is.
void PythonRun::extend(PythonValue& list, const PythonValue& more, const std::string& text) {
  std::vector<PythonValue*> items = more.items;
  if (more.is(Kind::map) && !more.is_call() && !more.is_partly_open())
    for (const PythonValue::Item& e : more.entries) items.push_back(make(Kind::string, e.span, e.key));
  else if (!more.is(Kind::list)) items.push_back(make(Kind::unknown, more.span, "*" + text));
  if (count_steps(items.size(), list.span)) list.items.insert(list.items.end(), items.begin(), items.end());
}

void PythonRun::update(PythonValue& map, const PythonValue& more) {
  const bool is_plain = more.is(Kind::map) && !more.is_call();
  const std::vector<PythonValue::Item> items = is_plain ? more.entries : std::vector<PythonValue::Item>{};
  for (const PythonValue::Item& m : items)
    if (count_steps(1 + map.entries.size() / 16, m.span)) map.set(m.key, m.span, m.value);
  if (is_plain) return;
  const std::string text = more.is_call() ? more.entries[0].value->text + "()" : more.text;
  map.set("**", more.span, make(Kind::unknown, more.span, text));
}

void PythonRun::augment(const PythonStatement& s, PythonScope& scope) {
  PythonValue* old = evaluate(s.expressions[0], scope);
  const PythonValue* more = evaluate(s.expressions[1], scope);
  if (failed_) return;
  const PythonFile& file = *scope.module->file;
  const bool is_map = old->is(Kind::map) && !old->is_call();
  if (s.text == "+" && old->is_tuple) {
    old = copy(*old, false);
    assign(s.expressions[0], old, scope);
  }
  if (s.text == "+" && old->is(Kind::list)) return extend(*old, *more, file.text_of(s.expressions[1]));
  if (s.text == "|" && is_map) return update(*old, *more);
  PythonValue result = python_binary(s.text, *old, *more);
  const auto text_of = [&](const PythonValue& v, const PythonExpression& e) {
    return v.is(Kind::list) || v.is(Kind::map) ? file.text_of(e) : v.text;
  };
  if (result.is(Kind::unknown))
    result.text =
        text_of(*old, s.expressions[0]) + " " + s.text + " " + dsl::shortened(text_of(*more, s.expressions[1]));
  if (result.text.size() > (1 << 16)) return static_cast<void>(fail(more->span, "this text grows too long"));
  assign(s.expressions[0], keep(std::move(result), s.expressions[1], scope), scope);
}

}  // namespace planner
