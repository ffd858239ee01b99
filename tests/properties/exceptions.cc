// Where laws do not hold, each with its cause.
#include <algorithm>

#include "planner/schedule/schedule.h"
#include "planner/workload/partition.h"
#include "planner/workload/placement.h"
#include "tests/properties/laws.h"

namespace properties {
namespace {

bool offloads_activations(const Scenario& s) { return s.parallelism.offload.activations > 0; }

/// A stage's weights that are gathered at a time, and the gradient beside them, over what sharding saves.
bool units_outweigh_shards(const Scenario& s) {
  const double layers = std::max(1.0, static_cast<double>(s.model.layers) / static_cast<double>(s.parallelism.pp));
  double layer = 0, all = 0;
  for (int64_t i = 0; i < s.model.layers; ++i) {
    const double each = planner::layer_parameters(s.model, planner::layer_kind(s.model, i));
    layer = std::max(layer, each);
    all += each;
  }
  const double rest = planner::parameters(s.model) - all;
  const bool routed = s.model.experts.count > 0;
  const auto shards = static_cast<double>(routed ? planner::expert_shards(s) : s.parallelism.zero_group);
  const double units = rest + layer * std::min(layers, s.software.memory.gathered_units) + std::max(rest, layer);
  const double kept = 1 - s.parallelism.offload.weights;  // on the device
  return 4 * units > kept * (1 - 1 / shards) * (rest + layers * layer);
}

bool splits_backward(const Scenario& s) { return planner::find_schedule(planner::schedule_name(s))->splits_backward; }

/// Stages of one layer of which every second is repeated.
bool repeats_half_a_layer(const Scenario& s) {
  return s.software.selective == planner::Selective::every_second_layer && s.model.layers < 2 * s.parallelism.pp;
}

bool casts_weights(const Scenario& s) { return s.job.precision >= planner::Precision::fp8 && s.parallelism.pp > 1; }

constexpr const char* kWaits =
    "a schedule that splits the backward pass: the step ends when other stages are done, so shorter passes end it no "
    "sooner, and hide less of the gradients' reduction";

bool speeds_up_stragglers(const Scenario& s) { return s.cluster.gpu.speedup > 1 && s.software.straggling > 0; }

constexpr const char* kLateness =
    "kernels faster than their models (speedup): the slowest rank is late by less of communication, and by all of a "
    "host that launches too slowly, which shorter communication waits for instead";

constexpr Exception kExceptions[] = {
    {"recompute holds no more",
     "activations in host memory: those that are computed again are on the device while they are used",
     offloads_activations},
    {"recompute is never faster", "activations in host memory: those that are computed again need not travel",
     offloads_activations},
    {"one ZeRO stage more holds no more", "what is gathered at a time is more than what sharding saves",
     units_outweigh_shards},
    {"more matrix FLOPS are never slower", kWaits, splits_backward, 0.02},
    {"a faster memory is never slower", kWaits, splits_backward, 0.02},
    {"faster kernels are never slower", kWaits, splits_backward, 0.02},
    {"faster launches are never slower", kWaits, splits_backward, 0.02},
    {"a wider tier is never slower", kWaits, splits_backward, 0.02},
    {"a faster host and link to it are never slower", kWaits, splits_backward, 0.02},
    {"shorter hops are never slower", kWaits, splits_backward, 0.02},
    {"shorter hops are never slower", kLateness, speeds_up_stragglers, 0.01},
    {"a wider tier is never slower", kLateness, speeds_up_stragglers, 0.01},
    {"recompute holds no more", "every second layer of a stage of one: half of it is kept, and all of it rebuilt",
     repeats_half_a_layer},
    {"twice the batch is never faster",
     "weights are cast once a step, and each microbatch carries its share of it through the pipeline", casts_weights,
     0.2},
};

}  // namespace

std::span<const Exception> exceptions() { return kExceptions; }

}  // namespace properties
