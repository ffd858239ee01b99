#include "planner/search/evaluator.h"

#include <bit>
#include <utility>

#include "planner/search/make_blocks.h"
#include "planner/workload/lower/builder.h"
#include "planner/workload/passes/passes.h"
#include "planner/workload/placement.h"

namespace planner {
namespace {

// Memory that one evaluator keeps; what several share has its own limit (shared.h).
constexpr size_t kMostBytes = 32 << 20;
constexpr uint32_t kCounted = 1024;  // candidates between two looks at it

// By level, the one that decides what it has: the parts that read either are alike where this one is.
std::vector<size_t> deciding_levels(const dsl::Space& space, const std::vector<size_t>& order) {
  std::vector<size_t> levels;
  for (size_t item : order)
    levels.push_back(static_cast<size_t>(std::ranges::find(order, space.decided_by(item)) - order.begin()));
  return levels;
}

}  // namespace

Evaluator::Evaluator(const OpenScenario& open, SharedParts& shared, const std::vector<size_t>& order)
    : space_(open.space),
      shared_(shared),
      words_(order.size()),
      tame_numbers_(open),
      subtrees_(open, shared, order),
      rules_(open, order, deciding_levels(open.space, order)),
      overflows_(open, order, subtrees_.free_from()) {
  const std::vector<size_t> deciding = deciding_levels(open.space, order);
  for (size_t level = 0; level < order.size(); ++level) {
    const dsl::OpenItem& item = space_.items()[order[level]];
    if (!item.field) continue;
    each_part([key = deciding[level], readers = readers_of(item.path)](PlanPart part, auto& kept) {
      if (readers & part) kept.reads(key);
    });
  }
}

template <class Visit> void Evaluator::each_part(Visit visit) {
  visit(kPlacement, placements_);
  visit(kBlocks, blocks_);
  visit(kShards, shards_);
  visit(kUnits, layers_);
  visit(kStages, deals_);
  visit(kStages, held_);
  visit(kStages, work_);
  visit(kStages, stages_);
  visit(kCrossing, crossings_);
  visit(kPipeline, pipelined_);
  visit(kStepOps, step_ops_);
  visit(kStepOps, step_calls_);
  visit(kMemory, memory_);
  visit(kFlops, flops_);
  visit(kStages, held_ranges_);
  visit(kUnits, layers_ranges_);
  visit(kStages, stages_ranges_);
  visit(kPipeline, least_makespans_);
  visit(kPipeline, least_with_sends_);
  visit(kStepOps, all_step_ops_);
}

uint64_t Evaluator::word_of(const dsl::Value& value) {
  if (const auto* number = std::get_if<dsl::Number>(&value.v)) return std::bit_cast<uint64_t>(number->value);
  if (const auto* flag = std::get_if<bool>(&value.v)) return *flag ? 1 : 0;
  const auto* text = std::get_if<std::string>(&value.v);
  return shared_.number_of(text ? *text : dsl::to_text(value));
}

void Evaluator::follow(const dsl::Cursor& cursor) {
  forget_much();
  const size_t from = std::min(stale_from_, cursor.changed());
  for (size_t level = from; level < words_.size(); ++level) {
    const size_t item = cursor.order()[level];
    words_.put(level, space_.items()[item].values.empty() ? word_of(cursor.value(item)) : cursor.at(item));
  }
  words_.change(from);
  tame_ = tame_numbers_.holds(cursor);
  stale_from_ = words_.size();
}

uint64_t Evaluator::placement(const Scenario& s) {
  auto [id, is_new] = placements_.at(words_, {});
  if (is_new) id = shared_.number_of(key_of(groups_of_blocks(s)));
  return id;
}

uint64_t Evaluator::shards(const Scenario& s) {
  auto [id, is_new] = shards_.at(words_, {});
  if (is_new) id = shared_.number_of(key_of(groups_of_shards(s)));
  return id;
}

// Weights are cast once a step, each microbatch pays its part. Units that are exchanged have no gradient to add to.
std::array<uint64_t, 3> Evaluator::others_of_blocks(const Scenario& s) {
  const bool narrow = operator_models::operand_bytes(s.job.precision) < 2;
  const uint64_t casts = narrow ? std::bit_cast<uint64_t>(shape_of(s).weight_casts) : 0;
  return {placement(s), casts, exchanges_units(s) ? uint64_t{1} : 0};
}

// What offloading ranks keep on their hosts depends on which of them share one.
uint64_t Evaluator::neighbours(const Scenario& s) {
  return moves_to_host(s) ? static_cast<uint64_t>(stride_of(s, &Degrees::pp)) : 0;
}

Blocks& Evaluator::blocks(const Scenario& s) {
  const std::array<uint64_t, 3> others = others_of_blocks(s);
  const auto entry = blocks_.at(words_, {others[0], others[1], others[2]});
  Blocks& made = entry.is_new ? *(entry.value = shared_.blocks(blocks_.words())) : *entry.value;
  if (!entry.is_new) return made;
  std::call_once(made.made, [&] {
    built_ = make_blocks(s, made);
    built_id_ = made.id;
    shared_.note(made);
  });
  return made;
}

void Evaluator::time(const Scenario& s, Blocks& blocks) {
  std::call_once(blocks.timed, [&] {
    if (built_id_ != blocks.id) {
      built_ = block_ops(s);
      built_id_ = blocks.id;
    }
    time_blocks(s, built_, blocks, calls_ ? &*calls_ : nullptr);
  });
}

// Where the stages are: whether units are exchanged or reduced at all, and where the tied embedding is held.
uint64_t Evaluator::others_of_units(const Scenario& s) {
  return (exchanges_units(s) ? uint64_t{1} : 0) + (ends_together(s) ? 2 : 0) + (shards_gradients(s) ? 4 : 0);
}

double Evaluator::kept_of(const Scenario& s) { return s.software.memory.kept_logits > 0 ? kept_microbatches(s) : 0; }

const Evaluator::Layers& Evaluator::layers(const Scenario& s, const Blocks& blocks) {
  auto [made, is_new] = layers_.at(words_, {blocks.id, shards(s), others_of_units(s)});
  if (!is_new) return made;
  made.blocks = &blocks.costed.blocks;
  made.calls = &blocks.calls;
  made.id = blocks.id;
  if (!has_units(s)) return made;
  Workload units;
  units.blocks = blocks.costed.workload.blocks;
  build_units(s, units);
  made.shared = meet_in(groups_of_shards(s), units.blocks);
  const bool adds = std::ranges::any_of(units.blocks, [](const Block& block) { return !block.ops.empty(); });
  if (!adds) return made;
  made.own = blocks.costed.blocks;
  made.blocks = &made.own;
  made.own_calls = blocks.calls;
  made.calls = &made.own_calls;
  made.id = shared_.next_id();
  const operator_models::Device device = device_of(s);
  for (size_t i = 0; i < made.own.size(); ++i) {
    made.shared &= made.own[i].open;
    const CostedBlock before = calls_ ? made.own[i] : CostedBlock{};
    add_ops(s, device, units.blocks[i].ops, made.own[i]);
    if (calls_)
      for (const Calls& calls : calls_->of_block(s, before, made.own[i])) made.own_calls[i].push_back(calls);
    made.priced &= all_priced(made.own[i].ops);
    std::vector<CostedOp>().swap(made.own[i].ops);
  }
  layers_.holds(bytes_of(made.own));
  return made;
}

const StageDeal& Evaluator::deal(const Scenario& s, const Blocks& blocks) {
  auto [made, is_new] = deals_.at(words_, {});
  if (!is_new) return made;
  made = deal_stages(s, blocks.costed.workload.blocks);
  const size_t chunks = made.chunks.size() + made.classes.size() + 1;
  deals_.holds(bytes_of(made.chunks) + bytes_of(made.parts) + bytes_of(made.classes) + bytes_of(made.class_of_stage) +
               chunks * bytes_of(made.model));
  return made;
}

const Evaluator::ClassHoldings& Evaluator::held(const Scenario& s, const Blocks& blocks) {
  const double kept = kept_of(s);
  auto [made, is_new] = held_.at(words_, {blocks.id, std::bit_cast<uint64_t>(kept)});
  if (!is_new) return made;
  const StageDeal& deal = this->deal(s, blocks);
  made.id = held_.size();
  made.deal = &deal;
  made.holdings.reserve(deal.classes.size());
  for (const StageDeal::StageKind& kind : deal.classes)
    made.holdings.push_back(holdings_of(blocks.holdings, deal, kind, kept));
  held_.holds(bytes_of(made.holdings));
  return made;
}

const Evaluator::Stages& Evaluator::stages(const Scenario& s, const ClassHoldings& held, const Layers& layers) {
  auto [made, is_new] = stages_.at(words_, {layers.id, held.id});
  if (!is_new) return made;
  made.id = stages_.size();
  made.profile = pipeline_profile(s, *held.deal, *layers.blocks);
  made.executed = make_executed_flops(*layers.blocks, held.deal->model);
  made.sums.reserve(held.deal->classes.size());
  for (const StageDeal::StageKind& kind : held.deal->classes)
    made.sums.push_back(sum_stage(*layers.blocks, kind.total, held.deal->schedule->splits_backward));
  stages_.holds(bytes_of(made.sums) + made.profile.runs().size_bytes());
  return made;
}

const Evaluator::BlockWork& Evaluator::work(const Blocks& blocks, const ClassHoldings& held) {
  auto [made, is_new] = work_.at(words_, {blocks.id, held.id});
  if (!is_new) return made;
  made.executed = make_executed_flops(blocks.costed.blocks, held.deal->model);
  made.times.reserve(held.deal->classes.size());
  for (const StageDeal::StageKind& kind : held.deal->classes)
    made.times.push_back(sum_times(blocks.costed.blocks, kind.total, held.deal->schedule->splits_backward));
  work_.holds(bytes_of(made.times));
  return made;
}

const Evaluator::Crossing& Evaluator::crossing(const Scenario& s, const Blocks& blocks) {
  const double width = blocks.costed.workload.width_bytes;
  auto [made, is_new] = crossings_.at(words_, {std::bit_cast<uint64_t>(width)});
  if (!is_new) return made;
  made.boundary = boundary_of(s, width);
  made.cost = cost_boundary(s, made.boundary);
  if (calls_) made.row = calls_->of_boundary(s, made.boundary);
  return made;
}

const Pipelined& Evaluator::pipelined(const Scenario& s, const Blocks& blocks, const ClassHoldings& held,
                                      const Stages& stages) {
  std::optional<Pipelined>& made = pipelined_.at(words_, {stages.id}).value.whole;
  if (made) return *made;
  const Crossing& crossing = this->crossing(s, blocks);
  made = make_pipelined(s, crossing.boundary, crossing.cost, stages.profile, *held.deal);
  return *made;
}

Evaluator::StepOps& Evaluator::step_ops(const Scenario& s, Blocks& blocks, const ClassHoldings& held) {
  auto [made, is_new] = step_ops_.at(words_, {});
  if (!is_new) return made;
  const std::lock_guard lock(blocks.step_ops);
  Workload& w = blocks.costed.workload;
  w.class_of_stage = held.deal->class_of_stage;
  w.classes.clear();
  for (size_t i = 0; i < held.holdings.size(); ++i)
    w.classes.push_back({held.holdings[i], {held.deal->classes[i].total}, {}});
  build_step_ops(s, w);
  std::vector<StepCalls>* calls = calls_ ? &step_calls_.at(words_, {}).value : nullptr;
  for (const StageClass& stage : w.classes) {
    const std::vector<CostedOp> ops = cost_step_ops(s, stage);
    made.push_back(step_wide(s, ops));
    if (calls) calls->push_back(calls_->of_step(s, ops));
  }
  step_ops_.holds(bytes_of(made));
  return made;
}

const MemoryPeaks& Evaluator::memory(const Scenario& s) {
  auto [made, is_new] = memory_.at(words_, {neighbours(s)});
  if (!is_new) return made;
  const Blocks& b = blocks(s);
  const ClassHoldings& h = held(s, b);
  made = make_memory_peaks(s, b.costed.workload, *h.deal, h.holdings);
  note_overflow(s, words_.size(), made);
  return made;
}

const MemoryPeaks* Evaluator::overflow_with_less(const Scenario& s, size_t levels) {
  return overflows_.with_less(s, levels, words_, neighbours(s));
}

void Evaluator::note_overflow(const Scenario& s, size_t levels, const MemoryPeaks& least) {
  overflows_.note(s, levels, words_, neighbours(s), least);
}

const ModelFlops& Evaluator::model_flops(const Scenario& s) {
  auto [made, is_new] = flops_.at(words_, {});
  if (is_new) made = make_model_flops(s);
  return made;
}

// Kept entries refer to their inputs: all are dropped at once. Between two candidates nothing refers to them.
void Evaluator::forget_much() {
  const uint64_t forgotten = shared_.forgotten();
  if (++candidates_ % kCounted != 0 && forgotten == forgotten_) return;
  size_t bytes = 0;
  each_part([&](PlanPart, const auto& kept) { bytes += kept.bytes(); });
  bytes += subtrees_.bytes() + rules_.bytes() + overflows_.bytes();
  if (bytes <= kMostBytes && forgotten == forgotten_) return;
  forgotten_ = forgotten;
  each_part([](PlanPart, auto& kept) { kept.clear(); });
  rules_.clear();
  overflows_.forget();
  subtrees_.forget();
}

}  // namespace planner
