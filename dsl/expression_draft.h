// Parts of the expression parser outside the grammar: limits, tokens, tree building, messages.
#pragma once

#include "dsl/expression_tree.h"

namespace dsl {

using Draft = std::shared_ptr<Expr>;

/// A mistake in an expression's text, at bytes of that text.
struct ParseError {
  size_t at, length;
  std::string message, hint;
};

/// Maps the bytes of an expression's text to their places in its source. Plain scalars map directly, quoted ones
/// through their escapes. In a default or an alias the places are unknown, and `whole` is used for all.
struct TextPlaces {
  TextPlaces(std::string_view text, const Span& span);
  Span at(size_t from, size_t length) const;

  std::string_view text;
  Span whole;

 private:
  std::vector<Span> bytes_;  // of each byte and of the end; or empty
};

/// Throws a ParseError for what would make a parser overflow or assert: length, depth, bytes.
void check_limits(std::string_view text);

/// Tokens at the start of `text`, located at `offset` of the expression. They return the bytes taken, 0 for "not this".
/// They throw a ParseError for a token that begins well and ends badly.
size_t take_number(std::string_view text, size_t offset, Draft& out);
size_t take_string(std::string_view text, size_t offset, Draft& out);
size_t take_name(std::string_view text, size_t offset, Draft& out);
size_t take_bracket(std::string_view text, size_t offset, Draft& out);

/// The message for a place where `what` was expected. `whole`: of the expression.
ParseError expected(std::string_view text, size_t at, const std::string& what, const Span& whole);

/// Builds the tree bottom-up: operands are pushed, then folded by their operator. The grammar calls it from its
/// actions, so that no rule needs an attribute.
class ExpressionBuilder {
 public:
  explicit ExpressionBuilder(const TextPlaces& places) : places_(places) {}

  size_t offset(const char* at) const { return static_cast<size_t>(at - places_.text.data()); }
  void push(Draft e, size_t begin, size_t end);
  void push_op(Op op) { ops_.push_back(op); }

  /// left OP right. A chain on the left takes the operand in: folding goes from the left anyway.
  void fold_chain() { fold_left(Expr::Kind::chain, true); }
  void fold_all() { fold_left(Expr::Kind::all, false); }
  void fold_any() { fold_left(Expr::Kind::any, false); }

  /// Operands since `mark` become one power (if several; each but the first has its prefixes open), a
  /// list, or the arguments of a call.
  void mark() { marks_.push_back(values_.size()); }
  void fold_power();
  void fold_list(size_t end);
  void fold_call(size_t end);

  /// Brackets belong to the text of the group: '(a + b) * c' spans from '('.
  void open_group(size_t after) { marks_.push_back(after - 1); }
  void close_group(size_t end);

  void open_prefixes() { prefixes_.push_back(0); }
  void prefix() { ++prefixes_.back(); }
  void fold_prefixes(Expr::Kind kind);

  [[noreturn]] void refuse_second_comparison();
  Draft result() const { return values_.empty() ? nullptr : values_.back().e; }

 private:
  struct DraftItem {
    Draft e;
    size_t begin, end;
  };
  size_t pop_mark();
  void gather(Draft node, size_t from, size_t begin, size_t end);
  void fold_left(Expr::Kind kind, bool with_op);

  const TextPlaces& places_;
  std::vector<DraftItem> values_;
  std::vector<Op> ops_;
  std::vector<size_t> marks_, prefixes_;
};

}  // namespace dsl
