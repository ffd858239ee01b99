// Works out a Python text: its statements from the first to the last, and the functions that they call.
#pragma once

#include <map>
#include <span>

#include "planner/python/python_values.h"

namespace planner {

struct PythonImport {
  std::string module, origin;
};

/// A file whose statements run when a name of it is first asked for.
struct PythonModule {
  std::unique_ptr<PythonFile> file;
  dsl::LineMap lines;
  std::vector<std::string> path;  // of its name: what `import` calls it, in parts
  std::map<std::string, PythonImport> imports;
  PythonScope* scope = nullptr;  // null until it has begun
  bool is_main = false;
  /// How many of the last parts of "a.b.c" are those of its name.
  size_t likeness(std::string_view module) const;
  const std::string& stem() const { return path.back(); }
};

/// Names of a file, or of one call of a function.
struct PythonScope {
  PythonModule* module = nullptr;
  const PythonScope* outer = nullptr;
  PythonValue* names = nullptr;                   // a map
  std::map<std::string, PythonValue*> elsewhere;  // by `global` and `nonlocal`: the names among which one stands
};

enum class PythonFlow { on, give, leave, again };

struct PythonArguments {
  std::vector<PythonValue*> places;
  std::vector<PythonItem> names;
  std::vector<PythonItem> open;  // "*x" and "**x" of what is not known
};

class PythonRun {
 public:
  explicit PythonRun(dsl::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// Adds a file; null (diagnosed) where it is no Python.
  PythonModule* add(const dsl::Source& source);
  /// Names of a file once its statements ran.
  PythonValue* names_of(PythonModule& module);
  /// What a function of a file returns; null (diagnosed) without such a function.
  PythonValue* call(PythonModule& module, const std::string& function);
  /// Statements that are nothing but a call of what no file has: `llm.pretrain(...)`.
  const std::vector<PythonValue*>& calls() const { return calls_; }
  PythonValue* make(PythonValue::Kind kind, const dsl::Span& span, std::string text = {});
  bool failed() const { return failed_; }

 private:
  using Kind = PythonValue::Kind;
  using Flow = PythonFlow;
  using Arguments = PythonArguments;

  // Statements: python_run.cc.
  Flow run(const std::vector<PythonStatement>& statements, PythonScope& scope);
  Flow run(const PythonStatement& s, PythonScope& scope);
  Flow run_branch(const PythonStatement& s, PythonScope& scope);
  Flow run_loop(const PythonStatement& s, PythonScope& scope);
  Flow run_repeat(const PythonStatement& s, PythonScope& scope);
  void run_expression(const PythonStatement& s, PythonScope& scope);
  void assign(const PythonExpression& target, PythonValue* value, PythonScope& scope);
  void assign_parts(const PythonExpression& target, PythonValue* value, PythonScope& scope);
  void remove(const PythonExpression& target, PythonScope& scope);
  void extend(PythonValue& list, const PythonValue& more, const std::string& text);
  void update(PythonValue& map, const PythonValue& more);
  void augment(const PythonStatement& s, PythonScope& scope);
  void refuse_open(const PythonExpression& condition, const PythonScope& scope);
  bool has_effect(const std::vector<PythonStatement>& statements, const PythonScope& scope) const;

  // Expressions: python_evaluate.cc.
  PythonValue* evaluate(const PythonExpression& e, PythonScope& scope);
  PythonValue* evaluate_known(const PythonExpression& e, PythonScope& scope);
  PythonValue* evaluate_list(const PythonExpression& e, PythonScope& scope);
  PythonValue* evaluate_dict(const PythonExpression& e, PythonScope& scope);
  PythonValue* evaluate_binary(const PythonExpression& e, PythonScope& scope);
  PythonValue* evaluate_conditional(const PythonExpression& e, PythonScope& scope);
  PythonValue* attribute(const PythonExpression& e, PythonValue& of, PythonScope& scope);
  PythonValue* subscript(const PythonExpression& e, PythonScope& scope);
  PythonValue* slice(const PythonExpression& e, const PythonValue& of, PythonScope& scope);
  /// The map that an expression names, which is made if it is missing.
  PythonValue* holder(const PythonExpression& e, PythonScope& scope);
  bool holds(const PythonValue& list, const PythonValue& one) {
    return count_steps(list.items.size(), one.span) && python_binary("in", one, list).text == "true";
  }
  void make_map(PythonValue& value, const PythonExpression& e, const PythonScope& scope);
  PythonValue* resolve(const std::string& name, const dsl::Span& place, PythonScope& scope);
  PythonValue* find_in(PythonModule& module, const std::string& name, int depth);
  PythonValue* find_elsewhere(const PythonModule& from, const std::string& module, const std::string& name, int depth);
  PythonValue* open(const PythonExpression& e, const PythonScope& scope);
  PythonValue* keep(PythonValue&& value, const PythonExpression& e, const PythonScope& scope);
  static std::string key_of(const PythonValue& key, int depth = 0);

  // Calls: python_calls.cc.
  PythonValue* evaluate_call(const PythonExpression& e, PythonScope& scope);
  PythonValue* call_method(const PythonExpression& e, PythonValue*& of, PythonScope& scope);
  PythonValue* call_list_method(const std::string& name, const PythonExpression& e, PythonValue& of,
                                PythonScope& scope);
  PythonValue* call_at_place(const PythonExpression& e, const Arguments& given, PythonValue& of, PythonScope& scope);
  PythonValue* call_dict_method(const std::string& name, const PythonExpression& e, PythonValue& of,
                                PythonScope& scope);
  PythonValue* call_builtin(const std::string& name, const PythonExpression& e, const Arguments& given,
                            PythonScope& scope);
  PythonValue* call_on_attributes(const std::string& name, const PythonExpression& e, const Arguments& given);
  PythonValue* is_instance(const PythonValue& of, const PythonValue& type);
  PythonValue* list_of(const PythonExpression& e, const Arguments& given, const PythonScope& scope);
  PythonValue* range_of(const Arguments& given, const dsl::Span& place);
  PythonValue* call_record(const PythonExpression& e, const PythonValue& callee, PythonValue* of,
                           const Arguments& given, const PythonScope& scope);
  Arguments arguments(const PythonExpression& e, PythonScope& scope);
  PythonValue* invoke(const PythonValue& function, const Arguments& given, const dsl::Span& place);
  bool bind(const PythonValue& function, const Arguments& given, PythonScope& scope, const dsl::Span& place);
  PythonValue* copy(const PythonValue& value, bool is_deep, int depth = 0);

  dsl::Span place_of(const PythonExpression& e, const PythonScope& scope) const;
  dsl::Span place_of(size_t token, const PythonScope& scope) const;
  PythonValue* fail(const dsl::Span& span, const std::string& message, const std::string& hint = {});
  bool count_steps(size_t steps, const dsl::Span& span);

  dsl::Diagnostics& diagnostics_;
  std::deque<PythonModule> modules_;
  std::deque<PythonValue> values_;
  std::deque<PythonScope> scopes_;
  std::vector<PythonValue*> calls_;
  PythonValue* given_ = nullptr;     // by `return`
  PythonValue* recorded_ = nullptr;  // the latest call of what no file has
  size_t steps_ = 0;
  int calls_deep_ = 0, deep_ = 0;
  bool failed_ = false;
};

}  // namespace planner
