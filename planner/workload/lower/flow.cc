#include "planner/workload/lower/flow.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "planner/workload/insert.h"

namespace planner {
namespace {

bool is_product(const WorkOp& op) { return std::holds_alternative<operator_models::Gemm>(op.op); }

/// The operators whose results are the gradient of what the node read; products side by side.
Numbers gradient_ends(std::span<const WorkOp> ops, const Numbers& backward) {
  Numbers ends;
  for (int number : backward) {
    const WorkOp& op = ops[static_cast<size_t>(number)];
    if (ends_in_weights(op)) continue;
    const bool beside = !ends.empty() && is_product(op) && is_product(ops[static_cast<size_t>(ends.back())]);
    if (!beside) ends.clear();
    ends.push_back(number);
  }
  return ends;
}

/// The backward operators of a node in turn, each with what it reads.
class Chain {
 public:
  Chain(std::span<WorkOp> ops, const Numbers& gradient)
      : ops_(ops), gradient_(gradient), ends_(gradient), operands_(gradient) {}

  void add(int number) {
    WorkOp& op = ops_[static_cast<size_t>(number)];
    if (!ends_in_weights(op)) return add_gradient(number, op);
    if (op.of_weights && weights_ >= 0) op.inputs = {weights_};
    else op.inputs = op.weight_gradient ? (product_ ? operands_ : ends_) : gradient_;
    weights_ = number;
  }

 private:
  void add_gradient(int number, WorkOp& op) {
    const bool beside = product_ && is_product(op);
    if (!beside) operands_ = std::exchange(ends_, {});
    product_ = is_product(op);
    op.inputs = operands_;
    ends_.push_back(number);
  }

  std::span<WorkOp> ops_;
  const Numbers& gradient_;
  Numbers ends_, operands_;  // of the last gradient: its operators, and their inputs
  bool product_ = false;     // they are matrix products
  int weights_ = -1;         // the last operator of a weight's gradient
};

}  // namespace

void Flow::join(const Strands& strands, Returns returns) {
  for (const Strand& strand : strands) {
    const bool there = std::ranges::find(here_, strand.node, &Strand::node) != here_.end();
    if (!there) here_.push_back({strand.node, returns == Returns::computed ? strand.returns : returns});
  }
}

void Flow::into(int node) {
  Strands& reads = reads_[static_cast<size_t>(node)];
  reads.append(here_.data(), here_.size());
}

Strands Flow::as(Strands strands, Returns returns) {
  for (Strand& strand : strands) strand.returns = returns;
  return strands;
}

int Flow::fork() {
  const int node = static_cast<int>(reads_.size());
  reads_.push_back(here_);
  here_ = {{node}};
  return node;
}

int Flow::forward() { return current_ = fork(); }

void Flow::sort(std::span<const WorkOp> ops) {
  nodes_.assign(reads_.size(), {});
  for (size_t i = 0; i < ops.size(); ++i) {
    FlowNode& node = nodes_[static_cast<size_t>(ops[i].inputs.front())];
    if (ops[i].phase == StepPhase::forward) node.forward = static_cast<int>(i);
    else node.backward.push_back(static_cast<int>(i));
  }
  for (size_t reader = 0; reader < reads_.size(); ++reader)
    for (const Strand& strand : reads_[reader])
      if (strand.node >= 0)
        nodes_[static_cast<size_t>(strand.node)].readers.push_back({static_cast<int>(reader), strand.returns});
}

void Flow::produced_by(Numbers& producers, const Strands& reads) const {
  for (const Strand& strand : reads) {
    if (strand.node < 0) {
      add_once(producers, strand.node);
      continue;
    }
    const auto node = static_cast<size_t>(strand.node);
    if (nodes_[node].forward >= 0) add_once(producers, nodes_[node].forward);
    else produced_by(producers, reads_[node]);
  }
}

const Numbers& Flow::gradient(std::span<const WorkOp> ops, int node) {
  std::optional<Numbers>& known = nodes_[static_cast<size_t>(node)].gradient;
  if (known) return *known;
  Numbers producers;
  for (const Strand& reader : nodes_[static_cast<size_t>(node)].readers) returned(ops, reader, producers);
  if (producers.empty()) producers.push_back(kInput);
  known = std::move(producers);
  return *known;
}

void Flow::returned(std::span<const WorkOp> ops, const Strand& reader, Numbers& producers) {
  if (reader.returns == Returns::never) return;
  Numbers ends;
  if (reader.returns != Returns::through) ends = gradient_ends(ops, nodes_[static_cast<size_t>(reader.node)].backward);
  if (ends.size() == 2 && reader.returns == Returns::first) ends.pop_back();
  if (ends.size() == 2 && reader.returns == Returns::second) ends.erase(ends.begin());
  if (ends.empty()) ends = gradient(ops, reader.node);
  for (int number : ends) add_once(producers, number);
}

void Flow::link_backward(std::span<WorkOp> ops, int node) {
  const FlowNode& n = nodes_[static_cast<size_t>(node)];
  Chain chain(ops, gradient(ops, node));
  for (int number : n.backward) {
    chain.add(number);
    ops[static_cast<size_t>(number)].forward = n.forward;
  }
}

void Flow::link(std::span<WorkOp> ops) {
  sort(ops);
  for (size_t node = 0; node < nodes_.size(); ++node) {
    if (nodes_[node].forward >= 0) {
      WorkOp& op = ops[static_cast<size_t>(nodes_[node].forward)];
      op.inputs.clear();
      produced_by(op.inputs, reads_[node]);
    }
    link_backward(ops, static_cast<int>(node));
  }
  std::vector<bool> read(ops.size(), false);
  for (const WorkOp& op : ops)
    for (int input : op.inputs)
      if (input >= 0) read[static_cast<size_t>(input)] = true;
  for (size_t i = 0; i < ops.size(); ++i)
    ops[i].result = !read[i] && (ops[i].phase == StepPhase::forward || !ends_in_weights(ops[i]));
}

}  // namespace planner
