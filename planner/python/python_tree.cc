#include "planner/python/python_tree.h"

#include <algorithm>

#include "planner/python/python_run.h"

namespace planner {
namespace {

/// Adds the calls that stand alone to a map.
void add_calls(PythonRun& run, PythonValue& map) {
  if (run.calls().empty() || !map.is(PythonValue::Kind::map)) return;
  PythonValue* list = run.make(PythonValue::Kind::list, run.calls().front()->span);
  list->items = run.calls();
  map.set("", list->span, list);
}

/// The file and those that it may call; null (diagnosed) where one of them is no Python.
PythonModule* add_files(PythonRun& run, const dsl::Source& text, std::span<const dsl::Source* const> more) {
  PythonModule* main = run.add(text);
  for (const dsl::Source* file : more)
    if (main && !run.add(*file)) return nullptr;
  return main;
}

}  // namespace

dsl::Node parse_python(const dsl::Source& text, std::span<const dsl::Source* const> more,
                       dsl::Diagnostics& diagnostics) {
  PythonRun run(diagnostics);
  PythonModule* main = add_files(run, text, more);
  if (!main) return dsl::broken_node();
  main->is_main = true;
  PythonValue names = *run.names_of(*main);
  if (run.failed()) return dsl::broken_node();
  std::erase_if(names.entries, [](const PythonValue::Item& e) { return e.value->is(PythonValue::Kind::function); });
  add_calls(run, names);
  return python_node(names, diagnostics);
}

dsl::Node call_python(const dsl::Source& text, const std::string& function, std::span<const dsl::Source* const> more,
                      dsl::Diagnostics& diagnostics) {
  PythonRun run(diagnostics);
  PythonModule* main = add_files(run, text, more);
  PythonValue* value = main ? run.call(*main, function) : nullptr;
  if (!value) return dsl::broken_node();
  PythonValue result = *value;
  add_calls(run, result);
  return python_node(result, diagnostics);
}

std::vector<std::string> python_functions(const dsl::Source& text, dsl::Diagnostics& diagnostics) {
  std::vector<std::string> names;
  const auto file = read_python(text, diagnostics);
  if (!file) return names;
  for (const PythonStatement& s : file->statements) {
    const bool needs_none = std::ranges::all_of(s.parameters, [](const PythonParameter& p) {
      return p.absent || p.takes_rest || p.takes_keywords || p.name.empty();
    });
    if (s.kind == PythonStatement::Kind::function && needs_none && !s.text.starts_with('_')) names.push_back(s.text);
  }
  return names;
}

}  // namespace planner
