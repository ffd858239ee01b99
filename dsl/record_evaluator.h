// Evaluates the fields of one scenario, each when it is first needed.
#pragma once

#include <unordered_map>

#include "dsl/convert.h"
#include "dsl/expression_tree.h"
#include "dsl/schema_tree.h"

namespace dsl {

/// The degrees and batch splits that expressions may name without `parallelism.`.
const std::vector<std::string>& bare_names();
/// "tp" -> "parallelism.tp"; other names stay.
std::string full_path(const std::string& name);

class RecordEvaluator {
 public:
  RecordEvaluator(const Node& tree, const Schema& schema, const EvaluateOptions& options, Diagnostics& diagnostics);
  Record run();

 private:
  enum class State { fresh, busy, done, failed };
  struct Item {        // a field or an entry of `let`
    std::string name;  // path, or the name in `let`
    State state = State::fresh;
    Value value;
    const Node* node = nullptr;  // `let` only
    size_t place = 0;            // field only
    bool is_let = false;
  };

  void add_let(const Node& tree);
  void check_let_name(const Entry& entry);
  void list_candidates();

  /// Formulas are parsed before any is evaluated: evaluation recurses from value to value, and a
  /// parser on top of that would double the stack that the deepest of both needs.
  void parse_all();
  const ExprPtr& parsed(const Node& node);
  bool is_formula(const Field& field, const Node& node) const;

  void require(size_t index);
  std::optional<Value> evaluate_let(const Item& item);
  std::optional<Value> evaluate_field(size_t index);
  std::optional<Value> evaluate_default(const Place& place);
  std::optional<Value> evaluate_written(const Place& place);
  std::optional<Value> many_values(const Place& place);
  std::optional<Value> choose(const Place& place);
  std::optional<Value> pick(const Place& place, const List& values, Span span);
  std::optional<Value> raw_value(const Field& field, const std::string& path, const Node& node);
  std::optional<Value> word_value(const Field& field, const std::string& path, const Node& node);
  std::optional<Value> computed(const Node& node);
  std::optional<Value> computed(const Expr& tree);
  std::optional<Value> single(const Field& field, const std::string& path, const Node& node);

  std::optional<Value> expressions(size_t index);
  bool check_expression(const Field& field, const Expression& expression);

  std::optional<Value> resolve(const std::string& name, Span place, bool results);
  std::optional<Value> result_placeholder(const std::string& name) const;
  void report_cycle(size_t index, Span place);

  const EvaluateOptions& options_;
  Diagnostics& diagnostics_;
  Layout layout_;
  std::vector<Item> items_;
  std::map<std::string, size_t, std::less<>> index_;
  std::vector<size_t> stack_;  // items being evaluated, outermost first
  std::vector<std::string> candidates_, candidates_with_results_;
  std::vector<std::vector<Expression>> expressions_;  // by place
  std::vector<std::pair<std::string, Value>> choices_;
  std::unordered_map<const Node*, ExprPtr> parsed_;  // null: diagnosed
  Budget budget_;
};

}  // namespace dsl
