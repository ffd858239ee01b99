// Figures of many candidates: what several of them share is computed once (readers.h).
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "planner/plan/least_step.h"
#include "planner/plan/memory.h"
#include "planner/plan/plan.h"
#include "planner/plan/step.h"
#include "planner/plan/throughput.h"
#include "planner/search/candidate.h"
#include "planner/search/memo.h"
#include "planner/search/overflows.h"
#include "planner/search/readers.h"
#include "planner/search/rule_memo.h"
#include "planner/search/shared.h"
#include "planner/search/subtrees.h"
#include "planner/search/tame.h"

namespace planner {

class Evaluator {
 public:
  /// `shared` belongs to all evaluators of one walk; it outlives them. `order`: the cursor's items by level.
  Evaluator(const OpenScenario& open, SharedParts& shared, const std::vector<size_t>& order);

  /// Updates the parts that changed at the cursor. REQUIRES: for every combination that the cursor reaches, `follow` or
  /// `skip` is called, in order.
  void follow(const dsl::Cursor& cursor);
  void skip(const dsl::Cursor& cursor) { stale_from_ = std::min(stale_from_, cursor.changed()); }
  /// Makes `figures` compute hidden communication, too; `by_row`: by the keys of communication rows. REQUIRES: all
  /// evaluators that share parts use the same setting, before anything else.
  void keep_calls(bool by_row) { calls_.emplace(by_row ? &shared_.texts() : nullptr); }
  /// Returns what `first_broken_layout_rule` does. REQUIRES: `s` is the candidate under the cursor, which was followed.
  size_t broken_rule(const Scenario& s) { return rules_.first_broken(s, words_); }
  /// Returns how many values of a level follow with which the same rule is the first that is broken; 0 where it is not
  /// known. REQUIRES: nothing behind the level is computed from its value; `candidate` has the scenario.
  size_t also_broken(size_t rule, size_t level, Candidate& candidate) {
    return rules_.also_broken(rule, level, candidate, words_);
  }
  /// Sets `broken` to all broken rules, in order.
  void broken_rules(const Scenario& s, std::vector<size_t>& broken) { rules_.all_broken(s, words_, broken); }
  /// Returns the figures of its plan, bit for bit; `memory` only those of its memory, without timing. REQUIRES: it
  /// breaks no layout rule.
  PlanFigures figures(const Scenario& s);
  /// Returns the seconds of communication that its plan hides. REQUIRES: `keep_calls`; its figures were the last.
  const HiddenRows& hidden() const { return hidden_; }
  const MemoryPeaks& memory(const Scenario& s);
  /// Calls `decides` with its figures for a lower bound of its step (least_step.h), without breakdown and errors: first
  /// for the work of its stages, then for the bound of their pipeline. Returns whether `decides` returned true. It is
  /// not called if the plan might have no figures, or if they cost no more.
  bool decided_by_least(const Scenario& s, const std::function<bool(const PlanFigures&)>& decides);

  /// The same for all candidates that have the values of this one up to a level. REQUIRES: all levels behind it are
  /// free (prefixes.h) and have their first values. Returns what their blocks make of the memory at least, or at most,
  /// with the scenario's shares of the host; nullopt: it is not known.
  std::optional<MemoryPeaks> memory_of_all(const Scenario& s, size_t level, bool most);
  /// Returns the least memory of the candidates with the values of its first `levels`, known from a smaller microbatch
  /// that overflows; null: unknown.
  const MemoryPeaks* overflow_with_less(const Scenario& s, size_t levels);
  /// Records their least memory, whatever the values at deeper levels.
  void note_overflow(const Scenario& s, size_t levels, const MemoryPeaks& least);
  /// Of the figures only those mean something that follow from the step and do not differ in a subtree.
  /// `candidate`: whose scenario it is.
  bool all_decided_by_least(Candidate& candidate, const Scenario& s, size_t level,
                            const std::function<bool(const PlanFigures&)>& decides);
  size_t free_from() const { return subtrees_.free_from(); }

 private:
  /// Blocks with the additional work of each microbatch.
  struct Layers {
    uint64_t id = 0;
    std::vector<CostedBlock> own;  // empty: no additional work
    const std::vector<CostedBlock>* blocks = nullptr;
    std::vector<BlockCalls> own_calls;
    const std::vector<BlockCalls>* calls = nullptr;
    bool priced = true, shared = true;  // as of `Blocks`
  };
  struct ClassHoldings {
    uint64_t id = 0;
    const StageDeal* deal = nullptr;
    std::vector<StageHoldings> holdings;  // by class
  };
  struct Stages {
    uint64_t id = 0;
    PipelineProfile profile;
    ExecutedFlops executed;
    std::vector<StageSums> sums;  // by class
  };
  /// The work of stages for the blocks of a microbatch alone: additional work only takes longer.
  struct BlockWork {
    ExecutedFlops executed;
    std::vector<StageTime> times;  // by class
  };
  /// A pipeline's times, as far as they were requested.
  struct Piped {
    std::optional<LeastMakespans> least;
    std::optional<Pipelined> whole;
  };
  /// The traffic between two stages, and its cost.
  struct Crossing {
    Boundary boundary;
    operator_models::Cost cost;
    uint64_t row = 0;  // as of `Calls`
  };
  using StepOps = std::vector<StepWide>;  // by class
  /// The holdings of a deal's stages with the blocks of a range, by class.
  struct HeldRange {
    std::vector<StageHoldings> least, most;
  };
  /// The blocks of a range with the least additional work of each microbatch.
  struct LayersRange {
    uint64_t id = 0;
    std::vector<BlockTimes> shortest;
  };
  /// What their stages have to do at least.
  struct StagesRange {
    uint64_t id = 0;
    PipelineProfile profile;
    std::vector<StageSums> sums;  // by class
  };
  /// The parts of a step before its pipeline is timed.
  struct Outline {
    Blocks* blocks = nullptr;
    const Layers* layers = nullptr;
    const ClassHoldings* held = nullptr;
    const Stages* stages = nullptr;
    StepOps* step_ops = nullptr;
    bool priced() const;
  };

  template <class Visit> void each_part(Visit visit);
  uint64_t word_of(const dsl::Value& value);

  // Inputs of parts in addition to the fields that they name.
  std::array<uint64_t, 3> others_of_blocks(const Scenario& s);
  static uint64_t neighbours(const Scenario& s);
  static uint64_t others_of_units(const Scenario& s);
  static double kept_of(const Scenario& s);  // microbatches, whose results a stage keeps
  uint64_t placement(const Scenario& s);
  uint64_t shards(const Scenario& s);
  Blocks& blocks(const Scenario& s);
  void time(const Scenario& s, Blocks& blocks);
  const Layers& layers(const Scenario& s, const Blocks& blocks);
  const StageDeal& deal(const Scenario& s, const Blocks& blocks);
  const ClassHoldings& held(const Scenario& s, const Blocks& blocks);
  const Stages& stages(const Scenario& s, const ClassHoldings& held, const Layers& layers);
  const BlockWork& work(const Blocks& blocks, const ClassHoldings& held);
  const Crossing& crossing(const Scenario& s, const Blocks& blocks);
  const Pipelined& pipelined(const Scenario& s, const Blocks& blocks, const ClassHoldings& held, const Stages& stages);
  StepOps& step_ops(const Scenario& s, Blocks& blocks, const ClassHoldings& held);
  PlanFigures figures_alone(const Scenario& s);
  void note_hidden(const Scenario& s, const Outline& o, const Pipelined& pipeline);
  /// nullopt: its parts are of no other candidate.
  std::optional<Outline> outline(const Scenario& s);
  const ModelFlops& model_flops(const Scenario& s);
  const BlockRange& block_range(const Scenario& s, size_t level);
  const HeldRange& held_range(const Scenario& s, const BlockRange& range);
  const LayersRange& layers_range(Candidate& candidate, const Scenario& s, const BlockRange& range, size_t level);
  const StagesRange& stages_range(const Scenario& s, const BlockRange& range, const LayersRange& layers);
  const std::vector<StepOps>& all_step_ops(Candidate& candidate, const Scenario& s, const BlockRange& range,
                                           size_t level);
  LeastMakespans least_with_sends(Candidate& candidate, const Scenario& s, const BlockRange& range,
                                  const StagesRange& stages, size_t level);
  void forget_much();

  const dsl::Space& space_;
  SharedParts& shared_;
  LevelWords words_;
  size_t stale_from_ = 0;                   // first level whose word is not in `words_`
  std::vector<std::vector<WorkOp>> built_;  // operators of the blocks that were built last
  uint64_t built_id_ = 0;

  uint32_t candidates_ = 0;
  uint64_t forgotten_ = 0;  // SharedParts::forgotten, when it last forgot
  std::optional<CallKeeper> calls_;
  HiddenRows hidden_;

  Tame tame_numbers_;
  bool tame_ = false;  // of the candidate

  Subtrees subtrees_;
  BlockImage image_;  // of `image_of_`
  std::shared_ptr<const Blocks> image_of_;

  RuleMemo rules_;
  Overflows overflows_;
  PartMemo<uint64_t> placements_{0}, shards_{0};
  PartMemo<std::shared_ptr<Blocks>> blocks_{3};
  PartMemo<Layers> layers_{3};
  PartMemo<StageDeal> deals_{0};
  PartMemo<ClassHoldings> held_{2};
  PartMemo<BlockWork> work_{2};
  PartMemo<Stages> stages_{2};
  PartMemo<Crossing> crossings_{1};
  PartMemo<Piped> pipelined_{1};
  PartMemo<StepOps> step_ops_{0};
  PartMemo<std::vector<StepCalls>> step_calls_{0};  // by class
  PartMemo<MemoryPeaks> memory_{1};
  PartMemo<ModelFlops> flops_{0};
  PartMemo<HeldRange> held_ranges_{2};
  PartMemo<LayersRange> layers_ranges_{3};
  PartMemo<StagesRange> stages_ranges_{1};
  PartMemo<LeastMakespans> least_makespans_{1}, least_with_sends_{2};
  PartMemo<std::vector<StepOps>> all_step_ops_{1};
};

}  // namespace planner
