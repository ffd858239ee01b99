// From a tree to values: every field of a schema evaluated, in whatever order they depend on each other.
//
//     Node (text) + schema (types, defaults, docs) -> Record (path -> Value)
//
// A path names one value: "tea.sugar", "shop.shelves[0].width", "shop.prices.green.each" (list item, map entry). A
// field that is `bare` has a short name too, the last part of its path.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dsl/expression.h"
#include "dsl/node.h"
#include "dsl/vocabulary.h"

namespace dsl {

enum class Type { count, number, boolean, quantity, word, name, expression };

/// One row of a schema. In `path`, "[]" matches any list item and "*" any map key.
struct Field {
  std::string path;
  Type type = Type::number;
  Dim dim;                         // quantity
  std::vector<std::string> words;  // word: the allowed words
  bool required = false;
  std::string unless;     // required: not if this neighbour, a list, has items; then `otherwise` applies
  bool optional = false;  // may be absent or null
  std::string otherwise;  // default, an expression text; evaluated like a written one
  std::string doc;        // one line, with the unit
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool bare = false;         // expressions may name it by the last part of its path alone
  bool many = false;         // a list of such values ("sizes: [1, 2]"), or one alone
  bool asserted = false;     // do not refuse candidates of a space: checked on the candidate found
  bool descriptive = false;  // a measured figure or a name, no setting of a program
};

using Schema = std::vector<Field>;

/// A name that expressions of type `expression` may use in addition to fields: a result, known later.
struct ResultName {
  std::string name;
  Dim dim;
};

struct EvaluateOptions {
  bool pick_first = false;  // open choices: take the first value instead of refusing
  bool keep_open = false;   // open choices: enumerate them (space.h)
  std::string together;     // a choice whose values are one candidate all together (space.h)
  std::vector<ResultName> results;
  Vocabulary vocabulary = {};  // keys at the top that are not fields; examples in messages
};

/// "sugar" of "tea.sugar".
std::string_view last_part(std::string_view path);

struct Slot {
  const Field* field = nullptr;
  Value value;
  Span span;                            // of the written value, or of the nearest parent that is written
  bool given = false;                   // written, not a default
  std::string comment;                  // the comment on the written line (source of a figure)
  std::vector<Expression> expressions;  // type expression: one, or as many as written where `many`
};

/// The number of each name: a file has a thousand, and every field of a scenario is looked up once and more.
struct NameHash {
  using is_transparent = void;
  size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
};
using NameIndex = std::unordered_map<std::string, size_t, NameHash, std::equal_to<>>;

/// All values of a file; `slots` in schema order.
struct Record {
  std::vector<std::pair<std::string, Slot>> slots;
  NameIndex index;                                     // by path, and by short name
  std::vector<std::pair<std::string, Value>> let;      // evaluated
  std::vector<std::pair<std::string, Value>> choices;  // picked values, by path
  std::map<std::string, Node, std::less<>>
      stands_for;  // the value's replacement in a resolved text, by path ("let.x"); null: nothing

  const Slot* find(std::string_view path) const;
  /// The path of the field that `name` is the short name of; other names stay.
  std::string full_path(const std::string& name) const;
  /// Items of a list of maps ("shop.shelves"), keys of a map of maps, in written order.
  size_t size(std::string_view list_path) const;
  std::vector<std::string> keys(std::string_view map_path) const;
  std::map<std::string, size_t, std::less<>> list_sizes;
  std::map<std::string, std::vector<std::string>, std::less<>> map_keys;

  // Not in every file that copies or drops one: they are much code.
  Record() = default;
  Record(const Record&);
  Record(Record&&) noexcept;
  Record& operator=(const Record&);
  Record& operator=(Record&&) noexcept;
  ~Record();
};

/// Evaluates `tree` against `schema`. Diagnoses unknown keys (with a suggestion), missing required fields, wrong types,
/// units and dimensions, values out of range, reference cycles (printed), reserved `let` names, open choices (unless
/// pick_first) - all in one run.
/// A count whose *default* is not whole is rounded down and kept within `least` and `most`, silently: its user reports
/// what does not fit. A written count that is not whole is an error.
/// An `expression` field with `many` holds conditions (true or false); one without holds a number. Both are checked
/// here: a result may have any value of its dimension.
/// A tree whose root is `broken` gives an empty record: its mistakes have been reported.
/// `schema` must outlive the record.
Record evaluate(const Node& tree, const Schema& schema, const EvaluateOptions& options, Diagnostics& diagnostics);

/// Evaluates an `expression` field with results.
std::optional<Value> evaluate(const Expression& expression, const Record& record,
                              const std::map<std::string, Value>& results, Diagnostics& diagnostics);

/// The record as a file with every default visible, in schema order, as nested nodes.
Node resolved(const Record& record);

}  // namespace dsl
