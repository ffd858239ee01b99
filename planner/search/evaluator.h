// PlanFigures of many candidates: what several of them share is computed once (readers.h).
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "planner/search/memo.h"
#include "planner/search/readers.h"
#include "planner/step.h"
#include "planner/workload/partition.h"

namespace planner {

class Evaluator {
 public:
  explicit Evaluator(const OpenScenario& open);

  /// REQUIRES: for every combination that the cursor comes to, `follow` or `skip` is called, in order.
  void follow(const dsl::Cursor& cursor);
  void skip(const dsl::Cursor& cursor) { stale_from_ = std::min(stale_from_, cursor.changed()); }
  /// As `broken_layout_rule`. REQUIRES: `s` is the candidate under the cursor, which was followed.
  const char* broken_rule(const Scenario& s);
  /// The figures of its plan, bit for bit. REQUIRES: it breaks no layout rule.
  PlanFigures figures(const Scenario& s);

 private:
  struct Blocks {
    uint64_t id = 0;
    CostedWorkload costed;
    std::vector<BlockHoldings> holdings;
  };
  struct Stages {
    uint64_t id = 0;
    const StageDeal* deal = nullptr;
    PipelineProfile profile;
    ExecutedFlops executed;
    std::vector<StageHoldings> holdings;  // by class
    std::vector<StageSums> sums;          // by class; empty: not needed yet
  };
  using StepOps = std::vector<StepWide>;  // by class

  /// The values of a part's own fields, behind the number of the part that it is computed from.
  struct Key {
    explicit Key(size_t parents) : words(parents) {}
    std::vector<size_t> items;
    KeyWords words;
    size_t parents() const { return words.size() - items.size(); }
  };
  std::span<const uint64_t> key(Key& key, std::initializer_list<uint64_t> parents);
  uint64_t word_of(size_t item, const dsl::Value& value);

  uint64_t placement(const Scenario& s);
  Blocks& blocks(const Scenario& s);
  const StageDeal& deal(const Scenario& s, const Blocks& blocks);
  Stages& stages(const Scenario& s, const Blocks& blocks);
  const Pipelined& pipelined(const Scenario& s, Blocks& blocks, const Stages& stages);
  StepOps& step_ops(const Scenario& s, Blocks& blocks);
  const MemoryPeaks& memory(const Scenario& s, const Blocks& blocks, const Stages& stages);
  const ModelFlops& model_flops(const Scenario& s);
  void forget_most();

  const dsl::Space& space_;
  KeyWords words_;                                       // by item: equal values, equal words
  std::vector<std::map<std::string, uint64_t>> texts_;  // by item: words of texts and lists
  size_t stale_from_ = 0;                                // first item whose word is not in `words_`

  Key rules_key_, placement_key_, blocks_key_, deal_key_, stages_key_, pipeline_key_, step_ops_key_, memory_key_, flops_key_;
  Memo<const char*> rules_;
  Memo<uint64_t> placements_;
  std::map<std::string, uint64_t> groups_;
  Memo<Blocks> blocks_;
  Memo<StageDeal> deals_;
  Memo<Stages> stages_;
  Memo<Pipelined> pipelined_;
  Memo<StepOps> step_ops_;
  Memo<MemoryPeaks> memory_;
  Memo<ModelFlops> flops_;
};

}  // namespace planner
