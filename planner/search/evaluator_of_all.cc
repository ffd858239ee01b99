// What an evaluator says of all candidates of a subtree.
#include <bit>

#include "planner/search/evaluator.h"
#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

// More than rounding takes from, or adds to, sums of a stage's memory.
constexpr double kRounding = 1e-9;

}  // namespace

const BlockRange& Evaluator::block_range(const Scenario& s, size_t level) {
  const BlockRange& range = subtrees_.range(s, level, words_, others_of_blocks(s));
  if (range.like && range.like != image_of_) image_.take(*(image_of_ = range.like));
  return range;
}

const Evaluator::HeldRange& Evaluator::held_range(const Scenario& s, const BlockRange& range) {
  const double kept = kept_of(s);
  auto [made, is_new] = held_ranges_.at(words_, {range.id, std::bit_cast<uint64_t>(kept)});
  if (!is_new) return made;
  const StageDeal& deal = this->deal(s, *range.like);
  for (const auto& [amounts, holdings] : {std::pair(&range.most, &made.most), {&range.least, &made.least}}) {
    image_.put(*amounts);
    for (const StageDeal::StageKind& kind : deal.classes)
      holdings->push_back(holdings_of(image_.holdings, deal, kind, kept));
    held_ranges_.holds(bytes_of(*holdings));
  }
  return made;
}

// A pass takes no less time beside communication where the device is longer at work itself; that fills pauses in which
// it waited for the host. Of a flag that may be either, the shorter.
const Evaluator::LayersRange& Evaluator::layers_range(Candidate& candidate, const Scenario& s, const BlockRange& range,
                                                      size_t level) {
  const uint64_t open = subtrees_.open_levels(kUnits, level);
  const auto entry = layers_ranges_.at(words_, {range.id, shards(s), others_of_units(s) + 8 * open});
  LayersRange& made = entry.value;
  if (!entry.is_new) return made;
  made.id = layers_ranges_.size();
  image_.put(range.least);
  image_.put(range.shortest_at_work);
  const operator_models::Device device = device_of(s);
  subtrees_.each(kUnits, level, candidate, [&] {
    Workload units;
    units.blocks = image_.workload.blocks;
    build_units(s, units);
    for (size_t i = 0; i < image_.times.size(); ++i) {
      CostedBlock times = image_.times[i];
      if (!units.blocks[i].ops.empty()) add_ops(s, device, units.blocks[i].ops, times);
      if (made.shortest.size() == i) made.shortest.push_back(times_of(times));
      else shorten(made.shortest[i], times_of(times));
    }
  });
  for (size_t i = 0; i < made.shortest.size(); ++i) lengthen(made.shortest[i], range.shortest[i]);
  layers_ranges_.holds(bytes_of(made.shortest));
  return made;
}

const Evaluator::StagesRange& Evaluator::stages_range(const Scenario& s, const BlockRange& range,
                                                      const LayersRange& layers) {
  auto [made, is_new] = stages_ranges_.at(words_, {layers.id});
  if (!is_new) return made;
  const StageDeal& deal = this->deal(s, *range.like);
  made.id = stages_ranges_.size();
  image_.put(layers.shortest);
  made.profile = pipeline_profile(s, deal, image_.times);
  for (const StageDeal::StageKind& kind : deal.classes)
    made.sums.push_back(sum_stage(image_.times, kind.total, deal.schedule->splits_backward));
  stages_ranges_.holds(bytes_of(made.sums) + made.profile.runs().size_bytes());
  return made;
}

std::optional<MemoryPeaks> Evaluator::memory_of_all(const Scenario& s, size_t level, bool most) {
  const BlockRange& range = block_range(s, level);
  if (!range.like) return std::nullopt;
  const HeldRange& stages = held_range(s, range);
  image_.put(most ? range.most : range.least);
  MemoryPeaks memory = make_memory_peaks(s, image_.workload, deal(s, *range.like), most ? stages.most : stages.least);
  for (double* bytes : {&memory.device.peak_bytes, &memory.host.peak_bytes})
    *bytes *= most ? 1 + kRounding : 1 - kRounding;
  return memory;
}

// By combination of the flags that may be either.
const std::vector<Evaluator::StepOps>& Evaluator::all_step_ops(Candidate& candidate, const Scenario& s,
                                                               const BlockRange& range, size_t level) {
  const auto entry = all_step_ops_.at(words_, {subtrees_.open_levels(kStepOps, level)});
  std::vector<StepOps>& made = entry.value;
  if (!entry.is_new) return made;
  const HeldRange& held = held_range(s, range);
  const StageDeal& deal = this->deal(s, *range.like);
  Workload& w = image_.workload;
  w.class_of_stage = deal.class_of_stage;
  subtrees_.each(kStepOps, level, candidate, [&] {
    w.classes.clear();
    for (size_t i = 0; i < held.least.size(); ++i) w.classes.push_back({held.least[i], {deal.classes[i].total}, {}});
    build_step_ops(s, w);
    StepOps& ops = made.emplace_back();
    for (const StageClass& stage : w.classes) ops.push_back(step_wide(s, cost_step_ops(s, stage)));
    all_step_ops_.holds(sizeof ops + bytes_of(ops));
  });
  return made;
}

// Of boundaries that may be several, the shortest makespan.
LeastMakespans Evaluator::least_with_sends(Candidate& candidate, const Scenario& s, const BlockRange& range,
                                           const StagesRange& stages, size_t level) {
  const auto entry = least_with_sends_.at(words_, {stages.id, subtrees_.open_levels(kPipeline, level)});
  LeastMakespans& made = entry.value;
  if (!entry.is_new) return made;
  const StageDeal& deal = this->deal(s, *range.like);
  bool is_first = true;
  subtrees_.each(kPipeline, level, candidate, [&] {
    const Boundary boundary = boundary_of(s, range.like->costed.workload.width_bytes);
    const LeastMakespans each = least_makespans(s, deal, stages.profile, cost_boundary(s, boundary).seconds.value);
    if (is_first || each.with_sends < made.with_sends) made = each;
    is_first = false;
  });
  return made;
}

bool Evaluator::all_decided_by_least(Candidate& candidate, const Scenario& s, size_t level,
                                     const std::function<bool(const PlanFigures&)>& decides) {
  if (!tame_) return false;
  const BlockRange& range = block_range(s, level);
  if (!range.like) return false;
  const StagesRange& stages = stages_range(s, range, layers_range(candidate, s, range, level));
  const StageDeal& deal = this->deal(s, *range.like);
  StepOutline step{.deal = deal, .sums = stages.sums};
  std::optional<double> seconds;  // null: those of `step`
  const auto says = [&] {
    Step least;
    least.breakdown.forward = seconds ? *seconds : least_step_seconds(s, step);
    return decides(make_figures(s, least, {}, model_flops(s), {}, microbatches_of(s)));
  };
  const auto by_pipeline = [&] {
    auto [makespans, is_new] = least_makespans_.at(words_, {stages.id});
    if (is_new) makespans = least_makespans(s, deal, stages.profile, 0);
    step.makespans = makespans;
    return says();
  };
  const auto by_step = [&] {
    step.makespans = least_with_sends(candidate, s, range, stages, level);
    step.holdings = held_range(s, range).least;
    for (const StepOps& ops : all_step_ops(candidate, s, range, level)) {
      step.wide = ops;
      const double each = least_step_seconds(s, step);
      seconds = std::min(each, seconds.value_or(each));
    }
    return says();
  };
  return says() || by_pipeline() || by_step();
}

}  // namespace planner
