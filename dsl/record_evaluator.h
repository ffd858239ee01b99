// Evaluates the fields of one file, each when it is first needed.
#pragma once

#include <span>
#include <unordered_map>
#include <unordered_set>

#include "dsl/compiled.h"
#include "dsl/convert.h"
#include "dsl/expression_tree.h"
#include "dsl/lay_out.h"

namespace dsl {

/// Appends the evaluator's diagnostics, in the order of the text.
void tell_in_order(const Diagnostics& found, Diagnostics& diagnostics);

/// The place of a written value, for messages about it.
Origin origin_of(const std::string& path, const Node& node);

class RecordEvaluator {
 public:
  RecordEvaluator(const Node& tree, const Schema& schema, const EvaluateOptions& options);
  Record run();
  /// What went wrong so far, in the order it was found.
  const Diagnostics& diagnostics() const { return diagnostics_; }

  // ---- open choices (open_choices.cc). REQUIRES: keep_open, and `run` without errors.

  enum class ItemState { fresh, busy, done, failed };
  struct EvaluatedItem {    // a field or an entry of `let`
    std::string_view name;  // path, or the name in `let`
    ItemState state = ItemState::fresh;
    Value value;
    const Node* node = nullptr;  // `let` only
    size_t place = 0;            // field only
    bool is_let = false;
    bool open = false;          // differs between candidates; `value` is a sample of its type
    bool is_choice = false;     // open: several values, of which a candidate takes one
    List values;                // open: all of them, where they depend on nothing open
    std::vector<size_t> reads;  // open: the open items that it is computed from
  };
  const std::vector<EvaluatedItem>& items() const { return items_; }
  /// The place of the item's field; null, like its field: it is an entry of `let`.
  const WrittenField* place_of(const EvaluatedItem& item) const;
  const Field* field_of(const EvaluatedItem& item) const;
  /// Returns the written node, or null.
  const Node* node_of(const EvaluatedItem& item) const;
  /// Where the item is written.
  Span span_of(const EvaluatedItem& item) const;
  /// Open items that an expression reads, and whether it reads a result.
  struct Reads {
    std::vector<size_t> open;
    bool results = false;
  };
  Reads reads_of(const Expr& tree) const;
  /// The values that an open item may take now; nullopt where it has none that its field can hold.
  std::optional<List> values_now(size_t index);
  /// The formula of a count that has one value, where that is arithmetic; its slots are items.
  std::optional<Compiled> compiled_count(size_t index);
  void assign(size_t index, Value value) { items_[index].value = std::move(value); }
  /// `expression` with these results, in the order of the options'; null values are not known.
  std::optional<Value> value_of(const Expression& expression, std::span<const Value> results);

 private:
  void add_let(const Node& tree, const Schema& schema);
  void check_let_name(const Entry& entry, const Schema& schema);
  /// Lists candidates for the first name that refers to nothing.
  void list_candidates();

  /// Formulas are parsed before any is evaluated: evaluation recurses from value to value, and a
  /// parser on top of that would double the stack that the deepest of both needs.
  void parse_all();
  const ExprPtr& parsed(const Node& node, const Field* field = nullptr);
  bool is_formula(const Field& field, const Node& node) const;

  void require(size_t index);
  std::optional<Value> evaluate_let(const EvaluatedItem& item);
  std::optional<Value> evaluate_field(size_t index);
  std::optional<Value> evaluate_default(const WrittenField& place);
  std::optional<Value> evaluate_written(const WrittenField& place);
  std::optional<List> written_values(const WrittenField& place);
  std::optional<List> converted(const Field& field, const Value& raw, const Origin& origin);
  std::optional<Value> pick(const WrittenField& place, const List& values);

  std::vector<ExprPtr> trees_of(size_t index);
  bool reads_open(size_t index);
  std::optional<Value> sample(size_t index);
  std::optional<Value> sample_of(EvaluatedItem& item, const Node* node, const Expr& tree);
  ExprPtr parsed_default(const Field& field);
  std::optional<Value> raw_value(const Field& field, const std::string& path, const Node& node);
  std::optional<Value> word_value(const Field& field, const std::string& path, const Node& node);
  const OtherName* other_word(const std::string& path, const Node& node) const;
  std::optional<Value> computed(const Node& node);
  /// `dry` and the budget as of `walk`; `results`: names of results are known.
  std::optional<Value> walked(const Expr& tree, bool dry, bool results);
  std::optional<Value> single(const Field& field, const std::string& path, const Node& node);

  std::optional<Value> expressions(size_t index);
  void refuse_shape(const Field& field, const std::string& path, const Node& node);
  bool check_expression(const Field& field, const Expression& expression);

  std::optional<Value> resolve(const std::string& name, Span place, bool results);
  /// Returns the item that `name` refers to in the expression of item `of`, or the end of the index.
  NameIndex::const_iterator named(const std::string& name, size_t of) const;
  std::string unknown_name_hint(const std::string& name, bool results);
  std::string item_hint(const std::string& name);
  std::string first_below(const std::string& section) const;
  std::optional<Value> result_placeholder(const std::string& name) const;
  void report_cycle(size_t index, Span place);

  /// Facts known once the file is read. All copies share one.
  struct EvaluatedFile {
    EvaluateOptions options;
    std::unordered_set<std::string_view> of_other_words;  // paths for which the vocabulary has alternative words
    WrittenFields layout;
    NameIndex index;  // by path or name
  };
  std::shared_ptr<EvaluatedFile> file_;
  Diagnostics diagnostics_;
  std::vector<EvaluatedItem> items_;
  std::vector<size_t> stack_;  // items being evaluated, outermost first
  std::vector<std::string> candidates_, candidates_with_results_;
  std::vector<std::vector<Expression>> expressions_;  // by place
  std::vector<std::pair<std::string, Value>> choices_;
  std::unordered_map<const Node*, ExprPtr> parsed_;     // null: diagnosed
  std::unordered_map<const Field*, ExprPtr> defaults_;  // parsed; null: diagnosed
  std::span<const Value> results_;                      // the present values of results; empty: unknown
  Budget budget_;
};

}  // namespace dsl
