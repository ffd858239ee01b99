// Statements and expressions of a Python text. What a plan never depends on (annotations, decorators, bodies of
// classes) is skipped.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dsl/node.h"
#include "dsl/raw_text.h"
#include "planner/python/python_tokens.h"

namespace planner {

enum class PythonExpressionKind {
  name,         // text
  constant,     // True, False, None: text
  number,       // text
  string,       // text
  list,         // parts: a list, a tuple, a set; text of the last two: "(", "{"
  dict,         // parts: a key, then its value; or a `double_star`
  call,         // parts: what is called, then the arguments
  attribute,    // parts: of what; text
  subscript,    // parts: of what, which
  slice,        // parts: from, to; None: the end of that side
  unary,        // text: the sign
  binary,       // text: the sign or word
  conditional,  // parts: condition, then, else
  keyword,      // an argument: text, parts: its value
  naming,       // "text := parts[0]"
  star,         // *parts[0]
  double_star,  // **parts[0]
  opaque,       // what is not worked out: a lambda, a comprehension, a format
};

struct PythonExpression {
  using Kind = PythonExpressionKind;
  Kind kind = Kind::opaque;
  std::string text;
  size_t begin = 0, end = 0;  // tokens
  int depth = 1;
  std::vector<PythonExpression> parts;
};

struct PythonParameter {
  std::string name;
  bool takes_rest = false, takes_keywords = false;  // *name, **name
  std::optional<PythonExpression> absent;           // its default
};

enum class PythonStatementKind {
  expression,  // expressions: one
  assign,      // expressions: the targets, then the value
  augment,     // expressions: target, value; text: the sign
  give,        // `return`: one or none
  branch,      // `if`: the condition, body, otherwise
  loop,        // `for`: target, what is gone through, body, otherwise
  repeat,      // `while`: as `branch`
  block,       // `with`, `try`: body
  function,    // text, parameters, body
  raise,
  remove,       // `del`: expressions: one
  leave,        // `break` or `continue`: text
  take_in,      // `import`: text (the name here), module and origin
  make_global,  // text; module: "global" or "nonlocal"
};

struct PythonStatement {
  using Kind = PythonStatementKind;
  Kind kind = Kind::expression;
  std::string text, module, origin;
  size_t token = 0;  // its first
  std::vector<PythonExpression> expressions;
  std::vector<PythonParameter> parameters;
  std::vector<PythonStatement> body, otherwise;
};

struct PythonFile {
  const dsl::Source* source = nullptr;
  std::vector<PythonToken> tokens;
  std::vector<PythonStatement> statements;

  std::string_view word(size_t token) const;
  /// The text of an expression, on one line.
  std::string text_of(const PythonExpression& e) const;
};

/// Returns the statements of a text. Diagnosed (then null): text that is not Python.
std::unique_ptr<PythonFile> read_python(const dsl::Source& source, dsl::Diagnostics& diagnostics);

/// Reads expressions from a token on; what reads statements goes on where it ends.
class PythonExpressions {
 public:
  PythonExpressions(const PythonFile& file, dsl::Diagnostics& diagnostics);

  /// With what may stand behind "=": "a, b" is a tuple.
  PythonExpression read_tuple();
  PythonExpression read();
  /// What is assigned to in `for`, with no `in`.
  PythonExpression read_target();

  bool is(std::string_view word) const { return word_ == word; }
  bool is_at(PythonToken::Kind kind) const { return file_.tokens[at_].kind == kind; }
  bool accept(std::string_view word);
  void expect(std::string_view word);
  std::string take_name();
  /// Skips up to one of these words outside of brackets, or the line's end.
  void skip_to(std::initializer_list<std::string_view> words);
  void next();
  size_t at() const { return at_; }
  bool failed() const { return failed_; }
  void fail(const std::string& message, const std::string& hint = {});

 private:
  PythonExpression read_operators(int least);
  PythonExpression read_prefixed();
  PythonExpression read_trailers(PythonExpression e);
  PythonExpression read_atom();
  PythonExpression read_bracket(std::string_view closing);
  PythonExpression read_argument();
  PythonExpression read_subscript();
  PythonExpression read_lambda();
  PythonExpression read_strings();
  bool read_part(PythonExpression& into, bool has_braces);
  PythonExpression make(PythonExpression::Kind kind, size_t begin, std::string text,
                        std::vector<PythonExpression> parts = {});

  const PythonFile& file_;
  dsl::Diagnostics& diagnostics_;
  dsl::LineMap lines_;
  std::string_view word_;
  size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false, in_target_ = false;
};

}  // namespace planner
