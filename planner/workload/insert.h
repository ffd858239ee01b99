// Operators put into a block: producers, consumers, covers and results follow.
//
// The order of a block's operators is the order in which seconds are summed; edges do not depend on it.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/workload/workload.h"

namespace planner {

/// A neighbour index that means: behind all operators.
inline constexpr int kLast = -1;

/// Puts operators into a block. An operator's number holds until `finish`: those of the block have their index, new
/// ones the numbers behind. REQUIRES: `finish` is called once, after the last insertion.
class Inserter {
 public:
  explicit Inserter(Block& block) : block_(block), old_(block.ops.size()) {}

  WorkOp& operator[](int number) { return block_.ops[static_cast<size_t>(number)]; }
  int size() const { return static_cast<int>(block_.ops.size()); }

  /// It reads the inputs of the readers, except weights, and they read it instead. It is placed before its neighbour.
  int before(const Numbers& readers, WorkOp op, int neighbour = kLast);
  /// It reads the outputs of the writers; operators of its phase that read one of them read it instead. Behind its
  /// neighbour.
  int after(const Numbers& writers, WorkOp op, int neighbour = kLast);
  /// Put several that work side by side behind all operators.
  void before_each(const Numbers& readers, std::vector<WorkOp> ops);
  void after_each(const Numbers& writers, std::vector<WorkOp> ops);
  /// Puts it behind its neighbour, with the edges that it has.
  int add(WorkOp op, int neighbour = kLast);

  /// Puts it behind all operators. The operators that begin its phase read it: forward those that read the block's
  /// input and casts of weights; backward and in recomputation those that read the incoming gradient, or a kept tensor.
  int add_first(WorkOp op);

  /// The reader reads the writer too, once. Numbers, since operators move when one is put in.
  void read_also(int reader, int writer);

  /// The readers read another operator; its output leaves the block if that of the first did.
  void replace(const Numbers& readers, const Numbers& writers, int by);

  /// Operators of a phase that read one of these.
  Numbers readers_of(const Numbers& writers, StepPhase phase) const;

  /// Gives the block its order, and every edge the index of its operator.
  void finish();

 private:
  int put(WorkOp&& op, int neighbour, size_t side);
  size_t slot_of(int number) const;

  Block& block_;
  size_t old_;
  std::vector<size_t> slots_;  // of new operators: three of each old one (before, itself, behind), one behind all
};

/// Its output is a weight's gradient or a part of one: it ends in the optimizer.
bool ends_in_weights(const WorkOp& op);

void add_once(Numbers& list, int number);
/// The reader reads the writer too, once.
inline void read_also(WorkOp& reader, int writer) { add_once(reader.inputs, writer); }

/// Removes the operators for which `gone` holds; their readers read their inputs instead.
void remove_ops(Block& block, const std::vector<bool>& gone);

}  // namespace planner
