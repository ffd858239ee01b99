#include "planner/search/evaluator.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "planner/workload/builder.h"
#include "planner/workload/passes.h"
#include "planner/workload/placement.h"

namespace planner {
namespace {

constexpr size_t kMostBlocks = 512;  // keys kept; some 100 kB each

// Fields that no block reads but through the groups and the shape below: the layout of stages and data ranks, and what
// concerns a whole step or the run.
constexpr std::array<std::string_view, 23> kOfNoBlock{"parallelism.pp",
                                                      "parallelism.dp",
                                                      "parallelism.interleave",
                                                      "parallelism.schedule",
                                                      "parallelism.stages",
                                                      "parallelism.zero",
                                                      "parallelism.zero_group",
                                                      "job.global_batch",
                                                      "job.tokens",
                                                      "job.optimizer",
                                                      "cluster.gpus",
                                                      "cluster.price",
                                                      "cluster.power_price",
                                                      "cluster.pue",
                                                      "cluster.mtbf",
                                                      "cluster.gpu.memory",
                                                      "software.schedule",
                                                      "software.overlap.gradients",
                                                      "software.overlap.parameters",
                                                      "software.straggling",
                                                      "software.step_overhead",
                                                      "software.microbatch_overhead",
                                                      "software.reduce_scatter"};

template <class T> void append(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append(std::string& key, const operator_models::Group& group) {
  append(key, group.ranks);
  for (int64_t inside : group.inside) append(key, inside);
}

struct Append {
  std::string& key;
  void operator()(std::monostate) const { key += '-'; }
  void operator()(bool b) const { key += b ? '1' : '0'; }
  void operator()(const dsl::Number& n) const { append(key, n.value); }
  void operator()(const std::string& s) const { (key += s) += '\0'; }
  void operator()(const dsl::List& list) const {
    append(key, list.size());
    for (const dsl::Value& value : list) std::visit(*this, value.v);
  }
};

}  // namespace

Evaluator::Evaluator(const OpenScenario& open) {
  const auto& items = open.space.items();
  for (size_t i = 0; i < items.size(); ++i)
    if (items[i].field && std::find(kOfNoBlock.begin(), kOfNoBlock.end(), items[i].path) == kOfNoBlock.end())
      of_blocks_.push_back(i);
}

const std::string& Evaluator::key_of(const dsl::Cursor& cursor, const Scenario& s) {
  key_.clear();
  for (size_t i : of_blocks_) std::visit(Append{key_}, cursor.value(i).v);
  for (const auto& group : {tensor_group(s), context_group(s)}) append(key_, group);
  if (s.model.experts.count > 0)
    for (const auto& group : {expert_group(s), expert_tensor_group(s)}) append(key_, group);
  // Weights are cast once a step, each microbatch pays its part.
  if (operator_models::operand_bytes(s.job.precision) < 2) append(key_, shape_of(s).weight_casts);
  return key_;
}

Plan Evaluator::plan(const dsl::Cursor& cursor, const Scenario& s) {
  // Tables are dealt to data ranks, host copies share a node's link: such blocks are the candidate's own.
  if (!keeps_blocks(s) || !s.model.operators.empty()) {
    CostedWorkload own = cost_workload(s, build_workload(s));
    return make_compared(s, own);
  }
  const std::string& key = key_of(cursor, s);
  auto found = costed_.find(key);
  if (found == costed_.end()) {
    if (costed_.size() >= kMostBlocks) costed_.clear();
    found = costed_.emplace(key, CostedWorkload{}).first;
    found->second = cost_blocks(s, build_blocks(s));
  }
  CostedWorkload& costed = found->second;
  costed.workload.classes.clear();
  costed.workload.class_of_stage.clear();
  costed.workload.boundary = {};
  costed.workload.rejoin = {};
  build_stages(s, costed.workload);
  cost_stages(s, costed);
  return make_compared(s, costed);
}

}  // namespace planner
