// The edges of a block that is being written.
//
// Forward, an operator reads the previous operator's output, unless the lowering goes back (`from`) or reads a second
// result as well (`join`). Backward follows: the gradient of an operator's result comes from its readers. If a separate
// kernel sums several gradients, it belongs to a `fork`.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dsl/short_list.h"
#include "planner/workload/workload.h"

namespace planner {

/// How a reader's gradient returns to its input.
enum class Returns {
  computed,  // by its gradient's operators
  first,     // by the first of two products: of two operands, this one
  second,
  through,  // as it is: the reader adds
  never     // nothing reads it
};

/// A result that is read.
struct Strand {
  int node = kInput;
  Returns returns = Returns::computed;
};
using Strands = dsl::ShortList<Strand, 4>;

class Flow {
 public:
  Flow() { reads_.reserve(kUsualNodes); }

  /// The input of the next forward operator.
  const Strands& here() const { return here_; }
  void from(const Strands& strands) { here_ = strands; }
  void join(const Strands& strands, Returns returns = Returns::computed);
  /// Makes an operator that was written before read the current value.
  void into(int node);
  /// Returns the strands, read in another way.
  static Strands as(Strands strands, Returns returns);

  /// A point with several readers: the operator written `at` it sums the gradients that come back.
  int fork();
  /// Backward operators that follow belong to this node (else to the last forward operator) ...
  void at(int node) { current_ = node; }
  /// ... or to the next forward operator.
  void at_next() { current_ = static_cast<int>(reads_.size()); }
  int current() const { return current_; }

  /// A forward operator; it becomes the only current value.
  int forward();

  /// Gives the operators their producers. REQUIRES: each has its node as its only input.
  void link(std::span<WorkOp> ops);

 private:
  static constexpr size_t kUsualNodes = 48;
  struct FlowNode {
    int forward = -1;
    Numbers backward;
    Strands readers;
    std::optional<Numbers> gradient;  // of its result
  };
  void sort(std::span<const WorkOp> ops);
  void produced_by(Numbers& producers, const Strands& reads) const;
  const Numbers& gradient(std::span<const WorkOp> ops, int node);
  void returned(std::span<const WorkOp> ops, const Strand& reader, Numbers& producers);
  void link_backward(std::span<WorkOp> ops, int node);

  std::vector<Strands> reads_;  // by node
  std::vector<FlowNode> nodes_;
  Strands here_{{}};
  int current_ = kInput;
};

}  // namespace planner
