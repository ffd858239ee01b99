#include "planner/workload/passes/rebuilt.h"

#include <utility>
#include <variant>

#include "planner/workload/insert.h"

namespace planner {
namespace {

using operator_models::GemmPass;

class Rebuilt {
 public:
  Rebuilt(Block& block, const std::vector<int>& again) : block_(block), again_(again) {}

  void run() {
    for (size_t i = 0; i < again_.size(); ++i)
      if (again_[i] >= 0) repeated(block_.ops[static_cast<size_t>(again_[i])]);
    for (WorkOp& op : block_.ops)
      if (op.phase == StepPhase::backward && op.forward >= 0) backward(op);
  }

 private:
  const WorkOp& at(int number) const { return block_.ops[static_cast<size_t>(number)]; }
  int again(int number) const { return number >= 0 ? again_[static_cast<size_t>(number)] : kKept; }

  void repeated(WorkOp& op) {
    const Numbers inputs = std::exchange(op.inputs, {});
    for (int input : inputs)
      if (input < 0 || !at(input).of_weights || at(input).widens) read_also(op, again(input));
    if (has_cover(op) && again(op.cover) >= 0) op.cover = again(op.cover);
    else if (op.hide == Hide::fused) op.hide = Hide::nothing;  // what it moves was kept, and no GEMM writes it again
  }

  // A data gradient of a linear layer reads its weight alone. A weight gradient reads the layer's input. Operators
  // other than linear layers read their inputs and their own result.
  void backward(WorkOp& op) {
    const WorkOp& original = at(op.forward);
    const auto* gemm = std::get_if<Gemm>(&op.op);
    if (gemm && gemm->pass == GemmPass::dgrad) return;
    const bool kept = dsl::erase_if(op.inputs, [](int input) { return input == kKept; }) > 0;
    const size_t before = op.inputs.size();
    for (int input : original.inputs) reads(op, kept ? under(input) : input);
    if (!std::holds_alternative<Gemm>(original.op) && !kept) reads(op, op.forward);
    if (kept && op.inputs.size() == before) op.inputs.push_back(kKept);
  }
  void reads(WorkOp& op, int forward) const {
    if (again(forward) >= 0) read_also(op, again(forward));
  }
  // A repeated gather reads a shard: the gather's own input.
  int under(int input) const {
    if (input < 0 || !std::holds_alternative<Collective>(at(input).op)) return input;
    return at(input).inputs.front();
  }

  Block& block_;
  const std::vector<int>& again_;
};

}  // namespace

void read_again(Block& block, const std::vector<int>& again) { Rebuilt(block, again).run(); }

}  // namespace planner
