#include "planner/search/evaluator.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "planner/plan/memory.h"
#include "planner/plan/plan.h"
#include "planner/plan/throughput.h"
#include "planner/plan/violations.h"
#include "planner/workload/lower/builder.h"
#include "planner/workload/passes/passes.h"
#include "planner/workload/placement.h"

namespace planner {
namespace {

// Entries kept; some 3 kB and 100 bytes each.
constexpr size_t kMostStages = 8192, kMostOthers = 1 << 17;

template <class T> void append(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append(std::string& key, const operator_models::Group& group) {
  append(key, group.ranks);
  for (int64_t inside : group.inside) append(key, inside);
}

// Empties it and frees what it had.
template <class T> void drop(std::vector<T>& list) { std::vector<T>().swap(list); }

using Groups = std::vector<operator_models::Group>;

// The groups that a block's communication may run in. Tables of a fixed list are dealt to data ranks.
Groups groups_of_blocks(const Scenario& s) {
  Groups groups;
  for (const Degree& degree : degrees())
    if (degree.meets == Meets::in_blocks) groups.push_back(group_of(s, degree.value));
  if (!s.model.operators.empty()) groups.push_back(data_group(s));
  return groups;
}

// The groups that share parameters.
Groups groups_of_shards(const Scenario& s) { return {shard_group(s), expert_shard_group(s)}; }

std::string key_of(const Groups& groups) {
  std::string key;
  for (const operator_models::Group& group : groups) append(key, group);
  return key;
}

// Whether all collectives of the blocks run in those groups. A pass that takes another one into a block costs speed,
// and gives no wrong figure.
bool meet_in(const Groups& groups, const std::vector<Block>& blocks) {
  const auto is_known = [&](const operator_models::Group& group) {
    return group.ranks == 1 || std::ranges::any_of(groups, [&](const operator_models::Group& own) {
             return own.ranks == group.ranks && own.inside == group.inside;
           });
  };
  for (const Block& block : blocks)
    for (const WorkOp& op : block.ops)
      if (const auto* c = std::get_if<operator_models::Collective>(&op.op); c && !is_known(c->group)) return false;
  return true;
}

// Of the same sum.
void fold(std::vector<Saved>& saved, double bytes) {
  drop(saved);
  saved.push_back({.name = "", .bytes = bytes});
}

void make_blocks(const Scenario& s, Blocks& made) {
  made.costed = cost_blocks(s, build_blocks(s));
  made.shared = meet_in(groups_of_blocks(s), made.costed.workload.blocks);
  for (const Block& block : made.costed.workload.blocks) made.holdings.push_back(holdings_of(block));
  for (const CostedBlock& block : made.costed.blocks) made.priced &= all_priced(block.ops);
  // What stages need of them are sums, and the weights that both ends share.
  for (CostedBlock& block : made.costed.blocks) drop(block.ops);
  for (Block& block : made.costed.workload.blocks)
    fold(block.saved, block.saved_bytes()), drop(block.ops), drop(block.moments);
}

// What offloading ranks keep on their hosts depends on which of them share one.
uint64_t neighbours(const Scenario& s) {
  const bool offloads = s.parallelism.offload.optimizer > 0;
  return offloads ? static_cast<uint64_t>(stride_of(s, &Degrees::pp)) : 0;
}

}  // namespace

Evaluator::Evaluator(const OpenScenario& open, SharedParts& shared)
    : space_(open.space), shared_(shared), words_(space_.items().size()) {
  for (size_t i = 0; i < space_.items().size(); ++i) {
    if (!space_.items()[i].field) continue;
    each_part([i, readers = readers_of(space_.items()[i].path)](Part part, auto& kept) {
      if (readers & part) kept.reads(i);
    });
  }
}

template <class Visit> void Evaluator::each_part(Visit visit) {
  visit(kRules, rules_);
  visit(kPlacement, placements_);
  visit(kBlocks, blocks_);
  visit(kShards, shards_);
  visit(kUnits, layers_);
  visit(kStages, deals_);
  visit(kStages, stages_);
  visit(kPipeline, pipelined_);
  visit(kStepOps, step_ops_);
  visit(kMemory, memory_);
  visit(kFlops, flops_);
}

uint64_t Evaluator::word_of(const dsl::Value& value) {
  if (const auto* number = std::get_if<dsl::Number>(&value.v)) return std::bit_cast<uint64_t>(number->value);
  if (const auto* flag = std::get_if<bool>(&value.v)) return *flag ? 1 : 0;
  const auto* text = std::get_if<std::string>(&value.v);
  return shared_.number_of(text ? *text : dsl::to_text(value));
}

void Evaluator::follow(const dsl::Cursor& cursor) {
  const size_t from = std::min(stale_from_, cursor.changed());
  for (size_t i = from; i < words_.size(); ++i)
    words_[i] = space_.items()[i].values.empty() ? word_of(cursor.value(i)) : cursor.at(i);
  each_part([from](Part, auto& kept) { kept.changed(from); });
  stale_from_ = words_.size();
}

const char* Evaluator::broken_rule(const Scenario& s) {
  bool is_new = false;
  if (rules_.size() > kMostOthers) rules_.clear();
  const char*& rule = rules_.at(words_, {}, is_new);
  if (is_new) rule = broken_layout_rule(s);
  return rule;
}

uint64_t Evaluator::placement(const Scenario& s) {
  bool is_new = false;
  if (placements_.size() > kMostOthers) placements_.clear();
  uint64_t& id = placements_.at(words_, {}, is_new);
  if (is_new) id = shared_.number_of(key_of(groups_of_blocks(s)));
  return id;
}

uint64_t Evaluator::shards(const Scenario& s) {
  bool is_new = false;
  if (shards_.size() > kMostOthers) shards_.clear();
  uint64_t& id = shards_.at(words_, {}, is_new);
  if (is_new) id = shared_.number_of(key_of(groups_of_shards(s)));
  return id;
}

Blocks& Evaluator::blocks(const Scenario& s) {
  bool is_new = false;
  // Weights are cast once a step, each microbatch pays its part. Units that are exchanged have no gradient to add to.
  const bool narrow = operator_models::operand_bytes(s.job.precision) < 2;
  const uint64_t casts = narrow ? std::bit_cast<uint64_t>(shape_of(s).weight_casts) : 0;
  const uint64_t exchanges = exchanges_units(s) ? 1 : 0;
  std::shared_ptr<Blocks>& made = blocks_.at(words_, {placement(s), casts, exchanges}, is_new);
  if (!is_new) return *made;
  made = shared_.blocks(blocks_.words());
  std::call_once(made->made, [&] { make_blocks(s, *made); });
  return *made;
}

const Evaluator::Layers& Evaluator::layers(const Scenario& s, const Blocks& blocks) {
  bool is_new = false;
  // Where the stages are: whether units are exchanged at all, and where the tied embedding is held.
  const uint64_t ends = (exchanges_units(s) ? 1 : 0) + (ends_together(s) ? 2 : 0);
  Layers& made = layers_.at(words_, {blocks.id, shards(s), ends}, is_new);
  if (!is_new) return made;
  Workload units;
  units.blocks = blocks.costed.workload.blocks;
  build_units(s, units);
  made.shared = meet_in(groups_of_shards(s), units.blocks);
  const bool adds = std::ranges::any_of(units.blocks, [](const Block& block) { return !block.ops.empty(); });
  made.blocks = &blocks.costed.blocks;
  made.id = blocks.id;
  if (!adds) return made;
  made.own = blocks.costed.blocks;
  made.blocks = &made.own;
  made.id = shared_.next_id();
  const operator_models::Device device = device_of(s);
  for (size_t i = 0; i < made.own.size(); ++i) {
    made.shared &= made.own[i].open;
    add_ops(s, device, units.blocks[i].ops, made.own[i]);
    made.priced &= all_priced(made.own[i].ops);
    drop(made.own[i].ops);
  }
  return made;
}

const StageDeal& Evaluator::deal(const Scenario& s, const Blocks& blocks) {
  bool is_new = false;
  StageDeal& made = deals_.at(words_, {}, is_new);
  if (is_new) made = deal_stages(s, blocks.costed.workload.blocks);
  return made;
}

Evaluator::Stages& Evaluator::stages(const Scenario& s, const Blocks& blocks, const Layers& layers) {
  bool is_new = false;
  const double kept = s.software.memory.kept_logits > 0 ? kept_microbatches(s) : 0;
  Stages& made = stages_.at(words_, {layers.id, std::bit_cast<uint64_t>(kept)}, is_new);
  if (!is_new) return made;
  const StageDeal& deal = this->deal(s, blocks);
  made.id = stages_.size();
  made.deal = &deal;
  made.profile = pipeline_profile(s, deal, *layers.blocks);
  made.executed = make_executed_flops(*layers.blocks, deal.model);
  made.holdings.reserve(deal.classes.size());
  for (const StageDeal::Kind& kind : deal.classes) made.holdings.push_back(holdings_of(blocks.holdings, deal, kind, kept));
  return made;
}

const Pipelined& Evaluator::pipelined(const Scenario& s, const Blocks& blocks, const Stages& stages) {
  bool is_new = false;
  Pipelined& made = pipelined_.at(words_, {stages.id}, is_new);
  if (!is_new) return made;
  const Boundary boundary = boundary_of(s, blocks.costed.workload.width_bytes);
  made = make_pipelined(s, boundary, cost_boundary(s, boundary), stages.profile, *stages.deal);
  return made;
}

Evaluator::StepOps& Evaluator::step_ops(const Scenario& s, Blocks& blocks, const Stages& stages) {
  bool is_new = false;
  StepOps& made = step_ops_.at(words_, {}, is_new);
  if (!is_new) return made;
  const std::lock_guard lock(blocks.step_ops);
  Workload& w = blocks.costed.workload;
  w.class_of_stage = stages.deal->class_of_stage;
  w.classes.clear();
  for (size_t i = 0; i < stages.holdings.size(); ++i)
    w.classes.push_back({stages.holdings[i], {stages.deal->classes[i].total}, {}});
  build_step_ops(s, w);
  for (const StageClass& stage : w.classes) made.push_back(step_wide(s, cost_step_ops(s, stage)));
  return made;
}

const MemoryPeaks& Evaluator::memory(const Scenario& s, const Blocks& blocks, const Stages& stages) {
  bool is_new = false;
  MemoryPeaks& made = memory_.at(words_, {neighbours(s)}, is_new);
  if (is_new) made = make_memory_peaks(s, blocks.costed.workload, *stages.deal, stages.holdings);
  return made;
}

const ModelFlops& Evaluator::model_flops(const Scenario& s) {
  bool is_new = false;
  ModelFlops& made = flops_.at(words_, {}, is_new);
  if (is_new) made = make_model_flops(s);
  return made;
}

void Evaluator::forget_most() {
  const bool all = blocks_.size() > SharedParts::kMostBlocks;
  if (all) blocks_.clear();
  const bool most = all || layers_.size() > kMostStages;
  if (most) layers_.clear();
  if (most || stages_.size() > kMostStages) {
    stages_.clear();
    pipelined_.clear();
  }
  if (deals_.size() > kMostStages && stages_.size() == 0) deals_.clear();
  if (pipelined_.size() > kMostOthers) pipelined_.clear();
  if (memory_.size() > kMostOthers) memory_.clear();
  if (step_ops_.size() > kMostStages) step_ops_.clear();
  if (flops_.size() > kMostOthers) flops_.clear();
}

static PlanFigures figures_alone(const Scenario& s) {
  CostedWorkload own = cost_workload(s, build_workload(s));
  Pipelined pipeline = make_pipelined(s, own);
  const Step step = make_step(s, own, pipeline);
  PlanFigures figures = make_figures(s, step, make_memory(s, own.workload), make_model_flops(s),
                                     make_executed_flops(own.blocks, own.workload.deal.model), pipeline.microbatches);
  figures.priced = is_priced(own);
  return figures;
}

PlanFigures Evaluator::figures(const Scenario& s) {
  forget_most();
  Blocks& b = blocks(s);
  if (!b.shared) return figures_alone(s);
  const Layers& l = layers(s, b);
  if (!l.shared) return figures_alone(s);
  Stages& stage = stages(s, b, l);
  const Pipelined& pipeline = pipelined(s, b, stage);
  if (stage.sums.empty())
    for (const StageDeal::Kind& kind : stage.deal->classes)
      stage.sums.push_back(sum_stage(*l.blocks, kind.total, stage.deal->schedule->splits_backward));
  StepOps& step_ops = this->step_ops(s, b, stage);
  const auto step_of = [&](const Pipelined& each) {
    const size_t last = each.stage_class;
    return make_step(s, {each, stage.holdings[last].layers, stage.sums[last], step_ops[last]});
  };
  Step step;
  if (pipeline.others.empty()) {
    step = step_of(pipeline);
  } else {
    Pipelined own = pipeline;
    step = make_last_step(*stage.deal, own, step_of);
  }
  PlanFigures figures =
      make_figures(s, step, memory(s, b, stage), model_flops(s), stage.executed, pipeline.microbatches);
  figures.priced =
      b.priced && l.priced && pipeline.priced && std::ranges::all_of(step_ops, [](const StepWide& each) { return each.priced; });
  return figures;
}

}  // namespace planner
