// Compilers fuse memory-bound kernels (XLA; Hu et al. 2022, section 2.2): a kernel joins the one whose result it reads,
// which then stays in registers and is not read again. This program assumes that results are still written, for the
// backward pass or other readers, and that matrix products are not fused.
#include <algorithm>
#include <variant>
#include <vector>

#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

/// The kernels of a block, as groups of operators that run as one.
class FusedKernels {
 public:
  explicit FusedKernels(Block& block) : block_(block) {
    for (size_t i = 0; i < block.ops.size(); ++i) kernel_of_.push_back(i), members_.push_back({static_cast<int>(i)});
  }

  void join_all() {
    for (size_t i = 0; i < block_.ops.size(); ++i)
      if (const int before = producer_of(static_cast<int>(i)); before >= 0) join(static_cast<int>(i), before);
  }

 private:
  WorkOp& op(int i) { return block_.ops[static_cast<size_t>(i)]; }
  size_t kernel(int i) const { return kernel_of_[static_cast<size_t>(i)]; }

  // Of the results that it reads the largest that it can stay with; -1: none.
  int producer_of(int i) {
    int best = -1;
    double most = 0;
    for (const int input : op(i).inputs) {
      const double passed = passed_on(i, input);
      if (passed <= most || waits_for_others(i, kernel(input))) continue;
      best = input, most = passed;
    }
    return best;
  }

  double passed_on(int i, int input) {
    if (input < 0 || op(input).phase != op(i).phase || op(input).routed != op(i).routed) return 0;
    const auto *own = std::get_if<Vector>(&op(i).op), *before = std::get_if<Vector>(&op(input).op);
    if (!own || !before || op(input).count != op(i).count) return 0;
    return std::min(before->written.value, own->read.value);
  }

  // Whether another input of its kernel needs that one: as one kernel they would wait for each other.
  bool waits_for_others(int i, size_t joined) {
    std::vector<bool> seen(members_.size(), false);
    seen[kernel(i)] = true;
    for (const int member : members_[kernel(i)])
      for (const int input : op(member).inputs)
        if (input >= 0 && kernel(input) != joined && needs(kernel(input), joined, seen)) return true;
    return false;
  }
  bool needs(size_t own, size_t other, std::vector<bool>& seen) {
    if (own == other) return true;
    if (seen[own]) return false;
    seen[own] = true;
    for (const int member : members_[own])
      for (const int input : op(member).inputs)
        if (input >= 0 && kernel(input) != own && needs(kernel(input), other, seen)) return true;
    return false;
  }

  void join(int i, int before) {
    auto& own = std::get<Vector>(op(i).op);
    own.read -= dsl::Bytes{passed_on(i, before)};
    own.joined = true;
    const size_t from = kernel(i), to = kernel(before);
    for (const int member : members_[from]) kernel_of_[static_cast<size_t>(member)] = to;
    members_[to].insert(members_[to].end(), members_[from].begin(), members_[from].end());
    members_[from].clear();
  }

  Block& block_;
  std::vector<size_t> kernel_of_;          // of each operator
  std::vector<std::vector<int>> members_;  // of each kernel
};

}  // namespace

void apply_fusion(const Scenario& s, Workload& w) {
  if (!s.software.fusion.vector) return;
  for (Block& block : w.blocks) FusedKernels(block).join_all();
}

}  // namespace planner
