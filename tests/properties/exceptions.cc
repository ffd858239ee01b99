// Where laws do not hold, each with its cause.
#include <algorithm>
#include <string_view>

#include "planner/plan/memory.h"
#include "planner/scenario/lacks.h"
#include "planner/schedule/schedule.h"
#include "planner/workload/partition.h"
#include "planner/workload/placement.h"
#include "tests/properties/laws.h"

namespace properties {
namespace {

bool offloads_activations(const Scenario& s) { return s.parallelism.offload.activations > 0; }

/// Whether a stage's weights gathered at one time, and their gradient, exceed the savings of sharding. A rank holds its
/// part of the experts; of weights outside layers it holds a larger part.
bool units_outweigh_shards(const Scenario& s) {
  const planner::Parallelism& p = s.parallelism;
  const bool routed = s.model.experts.count > 0;
  const double layers = std::max(1.0, static_cast<double>(s.model.layers) / static_cast<double>(p.pp));
  double layer = 0, all = 0;
  for (const planner::LayerKind& kind : planner::layers_of(s.model)) {
    const double each = planner::layer_parameters(s.model, kind);
    layer = std::max(layer, each);
    all += each;
  }
  const double rest = (planner::parameters(s.model) - all) / static_cast<double>(p.tp);
  layer /= static_cast<double>(routed ? p.ep * p.etp : p.tp);
  const auto shards = static_cast<double>(routed ? planner::expert_shards(s) : p.zero_group);
  const double units = rest + layer * std::min(layers, s.software.memory.gathered_units) + std::max(rest, layer);
  const double kept = 1 - p.offload.weights;  // on the device
  return 4 * units > kept * (1 - 1 / shards) * (rest + layers * layer);
}

bool splits_backward(const Scenario& s) { return planner::find_schedule(planner::schedule_name(s))->splits_backward; }

/// Stages with one layer of a kind, of which half is repeated: few layers, or dense ones among those with experts.
bool repeats_half_a_layer(const Scenario& s) {
  const std::optional<planner::Selective> policy = planner::layer_policy(s.software);
  const bool few = s.model.layers<2 * s.parallelism.pp, two_kinds = s.model.experts.count> 0 && s.parallelism.pp > 1;
  return (policy == planner::Selective::every_second_layer || policy == planner::Selective::every_second_matmul) &&
         (few || two_kinds);
}

/// The result of every second product is kept in 16 bits, and without sequence parallelism whole on every tensor rank,
/// where without recompute the layer's inputs are kept as their narrow copies.
bool keeps_wide_results(const Scenario& s) {
  return planner::layer_policy(s.software) == planner::Selective::every_second_matmul &&
         planner::is_narrow(s.job.precision) && s.parallelism.tp > 1 && !s.parallelism.sequence_parallel;
}

/// The result of every product is kept. Without sequence parallelism it is whole on every tensor rank. Without
/// recompute the rank keeps only parts of some inputs there.
bool keeps_whole_results(const Scenario& s) {
  return planner::layer_policy(s.software) == planner::Selective::all_but_products && s.parallelism.tp > 1 &&
         !s.parallelism.sequence_parallel;
}

/// Frozen weights have no gradient, and their inputs need not wait: what a policy keeps in their place is more.
bool keeps_results_of_frozen(const Scenario& s) {
  return s.job.lora.rank > 0 && planner::layer_policy(s.software) == planner::Selective::all_but_products;
}

/// A machine whose narrow precision is its slower one: kernels that stay in 16 bits count against the job's peak.
bool narrow_is_slower(const Scenario& s) {
  const auto& peaks = s.cluster.gpu.flops;
  const auto narrow = peaks.at(s.job.precision), wide = peaks.at(planner::Precision::bf16);
  return planner::is_narrow(s.job.precision) && narrow && wide && narrow->value < wide->value;
}

bool casts_weights(const Scenario& s) { return s.job.precision >= planner::Precision::fp8 && s.parallelism.pp > 1; }

constexpr const char* kWaits =
    "a schedule that splits the backward pass: the step ends when other stages are done, so shorter passes end it no "
    "sooner, and hide less of the gradients' reduction";

bool speeds_up_stragglers(const Scenario& s) { return s.cluster.gpu.speedup > 1 && s.software.straggling > 0; }

constexpr const char* kLateness =
    "kernels faster than their models (speedup): the slowest rank is late by less of communication, and by all of a "
    "host that launches too slowly, which shorter communication waits for instead";

bool has_late_gradients(const Scenario& s) { return planner::makes_gradients_late(s); }

constexpr Exception kExceptions[] = {
    {{"recompute holds no more"},
     "activations in host memory: those that are computed again are on the device while they are used",
     offloads_activations},
    {{"recompute holds no more"},
     "gradients take the room that activations leave: less of these is no gain, and what is rebuilt is held besides",
     has_late_gradients},
    {{"recompute is never faster"},
     "activations in host memory: those that are computed again need not travel",
     offloads_activations},
    {{"one ZeRO stage more holds no more"},
     "what is gathered at a time is more than what sharding saves",
     units_outweigh_shards},
    {{.kind = Kind::machine}, kWaits, splits_backward, 0.02},
    {{.kind = Kind::network}, kWaits, splits_backward, 0.02},
    {{.kind = Kind::network}, kLateness, speeds_up_stragglers, 0.01},
    {{"a faster host and link to it are never slower"}, kLateness, speeds_up_stragglers, 0.01},
    {{"recompute holds no more"},
     "half a layer repeated in a stage with one of its kind: half of it is kept, and all of it rebuilt",
     repeats_half_a_layer},
    {{"recompute holds no more"},
     "every second product kept in 16 bits and whole on every tensor rank, its inputs else in eight",
     keeps_wide_results,
     0.1},
    {{"recompute holds no more"},
     "every product's result kept whole on every tensor rank, of what is read else a part",
     keeps_whole_results,
     0.1},
    {{"recompute holds no more"},
     "every product's result kept, where frozen weights need no inputs of theirs",
     keeps_results_of_frozen,
     0.3},
    {{"MFU is at most HFU, HFU at most 1"},
     "a machine slower in 8 bits than in 16, in which attention runs",
     narrow_is_slower},
    {{"twice the batch is never faster"},
     "weights are cast once a step, and each microbatch carries its share of it through the pipeline: with one "
     "microbatch pp times, with two (pp + 1) / 2 times",
     casts_weights,
     1},
};

}  // namespace

bool Which::holds(const Law& law) const { return says ? std::string_view(says) == law.says : kind == law.kind; }

const char* Which::text() const {
  if (says) return says;
  return kind == Kind::machine ? "a faster machine is never slower" : "a faster network is never slower";
}

std::span<const Exception> exceptions() { return kExceptions; }

}  // namespace properties
