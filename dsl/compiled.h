// An expression over numbers and truths, compiled once and evaluated for each of many candidates.
//
//     tree -> Compiled::compile -> value(slots)
//
// It covers arithmetic, comparisons, and, or, not. Its results equal those of `walk` bit by bit, and it has no value
// where `walk` has none.
// Texts, lists and functions are left to `walk`. Kinds and dimensions were checked when the tree was read.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dsl/expression_tree.h"

namespace dsl {

class Compiled {
 public:
  /// What a name refers to: a number that never changes (true: 1), or one to look up.
  struct Operand {
    std::optional<double> constant;
    size_t slot = 0;
  };
  using Names = std::function<std::optional<Operand>(const std::string&)>;

  /// nullopt: it has a part, or a name, that only the walk knows.
  static std::optional<Compiled> compile(const Expr& tree, const Names& names);

  /// The slots that it reads, in the order of `value`'s numbers.
  const std::vector<size_t>& slots() const { return slots_; }
  /// `numbers`: one for each of `slots()`, NaN where it is not known. NaN: no value. A truth is 0 or 1.
  double value(std::span<const double> numbers) const;

  /// One operation on the moving number on its way to the value, while all other numbers stay fixed. A second operand
  /// may come before or after it.
  struct FormulaLink {
    Op op = Op::add;
    double other = 0;
    bool other_first = false;
  };
  /// Writes the operations from `numbers[moving]` to the value; that number itself is not read. Returns false if there
  /// is no such chain: the number is read twice, or by something other than arithmetic. REQUIRES: it is read.
  bool way_of(size_t moving, std::span<const double> numbers, std::vector<FormulaLink>& way) const;
  /// Returns what `value` does where the number on this way is `x`.
  static double value_on(std::span<const FormulaLink> way, double x);

 private:
  enum class Do { constant, number, binary, negate, invert, all, any };
  struct FormulaStep {
    Do what = Do::constant;
    double constant = 0;
    size_t slot = 0;   // of `slots_`
    Op op = Op::add;   // binary
    size_t count = 0;  // all, any: operands
  };
  bool add(const Expr& tree, const Names& names);
  bool add_name(const std::string& name, const Names& names);
  bool add_operands(const Expr& tree, const Names& names);
  bool add_chain(const Expr& tree, const Names& names);

  static constexpr size_t kDeepest = 32;  // numbers that wait for an operation
  std::vector<FormulaStep> steps_;        // operands before the operation that uses them
  std::vector<size_t> slots_;
  size_t waiting_ = 0, deepest_ = 0;
};

}  // namespace dsl
