#include "planner/workload/check_graph.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "planner/workload/graph.h"
#include "planner/workload/insert.h"
#include "planner/workload/overlap.h"

namespace planner {
namespace {

bool copies(const WorkOp& op, HostDirection direction) {
  const auto* copy = std::get_if<HostCopy>(&op.op);
  return copy && copy->direction == direction;
}

/// A cast or a gather of weights, or a copy that brings something back from the host.
bool starts_by_itself(const WorkOp& op) {
  const auto* c = std::get_if<Collective>(&op.op);
  const bool gathers = op.purpose == Purpose::fsdp && c && c->kind == CollectiveKind::all_gather;
  return op.of_weights || gathers || copies(op, HostDirection::to_device);
}

/// A gradient of weights, or the reduction of one.
bool is_gradient(const WorkOp& op) {
  const bool reduces = op.purpose == Purpose::dp || op.purpose == Purpose::fsdp;
  return ends_in_weights(op) || (op.phase == StepPhase::backward && reduces);
}

bool may_end(const WorkOp& op) {
  return op.result || is_gradient(op) || copies(op, HostDirection::to_host) || op.phase == StepPhase::recompute;
}

/// Within a phase; backward also rebuilt tensors, and a rebuild may read tensors gathered for the backward pass.
bool may_read(const WorkOp& reader, const WorkOp& writer) {
  if (reader.phase == writer.phase) return true;
  if (reader.phase == StepPhase::recompute) return writer.phase == StepPhase::backward && starts_by_itself(writer);
  return reader.phase == StepPhase::backward && writer.phase == StepPhase::recompute;
}

class Checker {
 public:
  explicit Checker(const Block& block) : block_(block), read_(block.ops.size(), false) {}

  std::vector<std::string> run() {
    for (const WorkOp& op : block_.ops) producers(op);
    if (!faults_.empty()) return faults_;  // what follows walks along the edges
    if (topological_order(block_.ops).size() < block_.ops.size())
      faults_.push_back(block_.name.str() + ": has a circle");
    for (size_t i = 0; i < block_.ops.size(); ++i) {
      if (!read_[i] && !may_end(block_.ops[i])) complain(block_.ops[i], "has no consumer");
      if (has_cover(block_.ops[i])) cover(block_.ops[i]);
      partner(block_.ops[i]);
    }
    independent();
    return faults_;
  }

 private:
  void complain(const WorkOp& op, const std::string& what) {
    faults_.push_back(block_.name.str() + ": " + op.name.str() + " (" + name(op.phase) + ") " + what);
  }
  const WorkOp* find(int number) const {
    const bool there = number >= 0 && static_cast<size_t>(number) < block_.ops.size();
    return there ? &block_.ops[static_cast<size_t>(number)] : nullptr;
  }

  void producers(const WorkOp& op) {
    if (op.inputs.empty() && !starts_by_itself(op)) complain(op, "has no producer");
    for (int input : op.inputs) {
      if (std::ranges::count(op.inputs, input) > 1) complain(op, "reads a producer twice");
      if (input == kInput && op.phase == StepPhase::recompute) complain(op, "reads an input that nobody kept");
      if (input == kKept && op.phase == StepPhase::forward) complain(op, "reads a tensor that is not kept yet");
      if (input == kInput || input == kKept) continue;
      const WorkOp* writer = find(input);
      if (!writer) complain(op, "has a producer that is not in the block");
      else if (!may_read(op, *writer)) complain(op, "reads " + writer->name.str() + " of another phase");
      if (writer) read_[static_cast<size_t>(input)] = true;
    }
  }

  void cover(const WorkOp& op) {
    const WorkOp* under = find(op.cover);
    if (!under || is_communication(under->op)) complain(op, "hides under nothing that computes");
  }

  void partner(const WorkOp& op) {
    const WorkOp* original = find(op.forward);
    if (op.forward >= 0 && (!original || original->phase != StepPhase::forward))
      complain(op, "names a forward operator that is none");
    if (op.phase != StepPhase::recompute) return;
    if (!original || original->name != op.name) return complain(op, "repeats no forward operator");
    for (int input : original->inputs) rebuilt(op, find(input));
  }

  /// `writer`: of the original; nullptr: the block's input. Weights need not be cast again.
  void rebuilt(const WorkOp& op, const WorkOp* writer) {
    if (writer && writer->of_weights) return;
    const bool again = std::ranges::any_of(op.inputs, [&](int input) {
      const WorkOp* producer = find(input);
      return producer && find(producer->forward) == writer && writer;
    });
    const bool kept = std::ranges::find(op.inputs, kKept) != op.inputs.end();
    if (!again && !kept) complain(op, "is repeated without " + (writer ? writer->name.str() : "the block's input"));
    if (kept && block_.saved.empty()) complain(op, "is rebuilt from a block that keeps nothing");
  }

  void independent() {
    std::map<std::pair<StepPhase, int>, std::vector<int>> groups;
    for (size_t i = 0; i < block_.ops.size(); ++i)
      if (block_.ops[i].independent != 0)
        groups[{block_.ops[i].phase, block_.ops[i].independent}].push_back(static_cast<int>(i));
    for (const auto& [key, members] : groups)
      for (int from : members) {
        const std::vector<bool> reached = reached_from(block_.ops, from);
        for (int to : members)
          if (reached[static_cast<size_t>(to)])
            complain(block_.ops[static_cast<size_t>(to)], "is not independent of " + find(from)->name.str());
      }
  }

  const Block& block_;
  std::vector<bool> read_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> graph_faults(const Block& block) { return Checker(block).run(); }

std::vector<std::string> graph_faults(const Workload& workload) {
  std::vector<std::string> faults;
  for (const Block& block : workload.blocks)
    for (std::string& fault : graph_faults(block)) faults.push_back(std::move(fault));
  return faults;
}

}  // namespace planner
