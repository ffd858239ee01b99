#include "planner/plan/single_changes.h"

#include <array>
#include <string_view>
#include <utility>

namespace planner {
namespace {

using Amount = double;

bool use_sequence_parallel(Scenario& s, Amount, size_t) {
  return s.parallelism.tp > 1 && !std::exchange(s.parallelism.sequence_parallel, true);
}
bool shard(Scenario& s, Amount amount, size_t) {
  const auto stage = static_cast<int64_t>(amount);
  return std::exchange(s.parallelism.zero, stage) < stage;
}
bool recompute(Scenario& s, Amount policy, size_t) {
  const auto wanted = static_cast<Recompute>(static_cast<int>(policy));
  return std::exchange(s.parallelism.recompute, wanted) < wanted;
}
bool divide_microbatch(Scenario& s, Amount amount, size_t) {
  const auto factor = static_cast<int64_t>(amount);
  const bool divides = s.parallelism.microbatch % factor == 0;
  return divides && (s.parallelism.microbatch /= factor, true);
}

/// Data ranks become ranks of another degree.
template <int64_t Parallelism::*degree> bool move_data_to(Scenario& s, Amount amount, size_t) {
  const auto factor = static_cast<int64_t>(amount);
  if (s.parallelism.dp % factor != 0) return false;
  const bool whole_group = s.parallelism.zero_group == s.parallelism.dp * s.parallelism.cp;
  s.parallelism.*degree *= factor;
  s.parallelism.dp /= factor;
  if (whole_group) s.parallelism.zero_group = s.parallelism.dp * s.parallelism.cp;
  return true;
}
bool more_tensor(Scenario& s, Amount factor, size_t) {
  const bool in_a_node = static_cast<int64_t>(factor) * s.parallelism.tp <= s.cluster.gpus_per_node;
  return in_a_node && move_data_to<&Parallelism::tp>(s, factor, 0);
}
/// Stages of half the length hold half the chunks where they would be too short.
bool more_stages(Scenario& s, Amount factor, size_t) {
  Parallelism& p = s.parallelism;
  if (!p.stages.empty() || !move_data_to<&Parallelism::pp>(s, factor, 0)) return false;
  while (p.interleave > 1 && p.pp * p.interleave > s.model.layers) p.interleave = (p.interleave + 1) / 2;
  return true;
}
bool more_experts(Scenario& s, Amount factor, size_t) {
  return s.model.experts.count > 0 && (s.parallelism.ep *= static_cast<int64_t>(factor), true);
}
template <double Offload::*share> bool offload(Scenario& s, Amount, size_t) {
  return std::exchange(s.parallelism.offload.*share, 1) < 1;
}
constexpr auto more_context = move_data_to<&Parallelism::cp>;

template <class Q> bool times(Q& quantity, double factor) { return quantity.value *= factor, true; }
template <class Q> bool times(std::optional<Q>& quantity, double factor) {
  return quantity && times(*quantity, factor);
}
bool scale_peaks(Scenario& s, Amount factor, size_t) {
  hw_profiles::Peaks& p = s.cluster.gpu.flops;
  for (auto* peak : {&p.fp32, &p.tf32, &p.fp16, &p.bf16, &p.fp8, &p.mxfp8, &p.nvfp4}) times(*peak, factor);
  return true;
}
bool offloads(const Scenario&, bool offloads) { return offloads; }

constexpr SingleChange kChanges[] = {
    {"parallelism.sequence_parallel", use_sequence_parallel, 1, 1, "parallelism.sequence_parallel=true"},
    {"parallelism.zero", shard, 1, 2, "parallelism.zero=1"},
    {"parallelism.zero", shard, 2},
    {"parallelism.zero", shard, 3, 8, "parallelism.zero=3"},
    {"parallelism.recompute", recompute, 1, 3, "parallelism.recompute=selective"},
    {"parallelism.recompute", recompute, 2, 7, "parallelism.recompute=full"},
    {"parallelism.microbatch", divide_microbatch, 2, 4, "half the microbatch"},
    {"parallelism.microbatch", divide_microbatch, 4},
    {"parallelism.tp", more_tensor, 2, 5, "twice the tensor parallelism (half the data parallelism)"},
    {"parallelism.tp", more_tensor, 4},
    {"parallelism.tp", more_tensor, 8},
    {"parallelism.pp", more_stages, 2, 6, "twice the pipeline stages (half the data parallelism)"},
    {"parallelism.pp", more_stages, 4},
    {"parallelism.cp", more_context, 2},
    {"parallelism.cp", more_context, 4},
    {"parallelism.ep", more_experts, 2},
    {"parallelism.ep", more_experts, 4},
    {"parallelism.ep", more_experts, 8},
    {"parallelism.offload.optimizer", offload<&Offload::optimizer>, 1},
    {"parallelism.offload.activations", offload<&Offload::activations>, 1},
    {"cluster.gpu.flops", scale_peaks},
    {"cluster.gpu.vector_flops", [](Scenario& s, Amount f, size_t) { return times(s.cluster.gpu.vector_flops, f); }},
    {"cluster.gpu.memory_bandwidth",
     [](Scenario& s, Amount f, size_t) { return times(s.cluster.gpu.memory_bandwidth, f); }},
    {kMemoryField, [](Scenario& s, Amount f, size_t) { return times(s.cluster.gpu.memory, f); }},
    {"cluster.network[].bandwidth",
     [](Scenario& s, Amount f, size_t tier) { return times(s.cluster.network[tier].bandwidth, f); }},
    {"cluster.network[].latency",
     [](Scenario& s, Amount f, size_t tier) { return times(s.cluster.network[tier].latency, f); }},
    {.field = "cluster.host.bandwidth",
     .apply = [](Scenario& s, Amount f, size_t) { return times(s.cluster.host.bandwidth, f); },
     .acts = offloads},
    {.field = "cluster.host.memory_bandwidth",
     .apply = [](Scenario& s, Amount f, size_t) { return times(s.cluster.host.memory_bandwidth, f); },
     .acts = offloads},
    {.field = kHostMemoryField,
     .apply = [](Scenario& s, Amount f, size_t) { return times(s.cluster.host.memory, f); },
     .acts = offloads},
    {.field = "cluster.price",
     .apply = [](Scenario& s, Amount f, size_t) { return times(s.cluster.price, f); },
     .acts = [](const Scenario& s, bool) { return s.cluster.price.has_value(); }},
    {.field = "cluster.purchase.gpu_price",
     .apply = [](Scenario& s, Amount f, size_t) { return times(s.cluster.purchase.gpu_price, f); },
     .acts = [](const Scenario& s, bool) { return s.cluster.purchase.gpu_price.has_value(); }},
    {.field = "cluster.purchase.node_price",
     .apply = [](Scenario& s, Amount f, size_t) { return times(s.cluster.purchase.node_price, f); },
     .acts = [](const Scenario& s, bool) { return s.cluster.purchase.node_price.has_value(); }},
    {.field = "cluster.power_price",
     .apply = [](Scenario& s, Amount f, size_t) { return times(s.cluster.power_price, f); },
     .acts = [](const Scenario& s, bool) { return s.cluster.power_price.has_value(); }},
};

constexpr std::string_view kTier = "[]";
bool of_a_tier(const SingleChange& row) { return std::string_view(row.field).find(kTier) != std::string_view::npos; }

MachineChange of_tier(const SingleChange& row, size_t tier) {
  std::string field = row.field;
  if (of_a_tier(row)) field.insert(field.find(kTier) + 1, std::to_string(tier));
  return {std::move(field), [apply = row.apply, tier](Scenario& s, double factor) { apply(s, factor, tier); }};
}

}  // namespace

std::span<const SingleChange> single_changes() { return kChanges; }

std::vector<MachineChange> machine_changes(const Scenario& s, bool offloads) {
  std::vector<MachineChange> changes, of_tiers;
  for (size_t tier = 0; tier < s.cluster.network.size(); ++tier)
    for (const SingleChange& row : kChanges)
      if (of_a_tier(row)) of_tiers.push_back(of_tier(row, tier));
  for (const SingleChange& row : kChanges) {
    if (row.amount != 0 || (row.acts && !row.acts(s, offloads))) continue;
    if (!of_a_tier(row)) changes.push_back(of_tier(row, 0));
    else changes.insert(changes.end(), of_tiers.begin(), of_tiers.end()), of_tiers.clear();
  }
  return changes;
}

void set_data_ranks(Scenario& s, int64_t dp) {
  const bool whole_group = s.parallelism.zero_group == s.parallelism.dp * s.parallelism.cp;
  s.parallelism.dp = dp;
  if (whole_group) s.parallelism.zero_group = dp * s.parallelism.cp;
}

}  // namespace planner
