#include "planner/plan/machine_changes.h"

#include <array>
#include <optional>
#include <string_view>

namespace planner {
namespace {

using hw_profiles::Accelerator;
using hw_profiles::Cluster;
using hw_profiles::Host;
using hw_profiles::Purchase;

/// A row of the table. "[]" of a field is the index of a network tier.
struct MachineQuantity {
  std::string_view field;
  void (*scale)(Scenario& scenario, double factor, size_t tier);
  /// Returns whether it acts on a plan; null: it always does.
  bool (*acts)(const Scenario& scenario, bool offloads) = nullptr;
};

template <class Q> void times(Q& quantity, double factor) { quantity.value *= factor; }
template <class Q> void times(std::optional<Q>& quantity, double factor) {
  if (quantity) times(*quantity, factor);
}
/// `path`: of members, from the cluster on.
template <auto... path> void scale(Scenario& s, double factor, size_t) { times((s.cluster.*....*path), factor); }
/// A price that acts where the scenario has it.
template <auto... path> bool has(const Scenario& s, bool) { return (s.cluster.*....*path).has_value(); }
template <auto... path> constexpr MachineQuantity priced(std::string_view field) {
  return {field, scale<path...>, has<path...>};
}
void scale_peaks(Scenario& s, double factor, size_t) {
  hw_profiles::Peaks& p = s.cluster.gpu.flops;
  for (auto* peak : {&p.fp32, &p.tf32, &p.fp16, &p.bf16, &p.fp8, &p.mxfp8, &p.nvfp4}) times(*peak, factor);
}
bool offloads(const Scenario&, bool offloads) { return offloads; }

constexpr std::array kQuantities{
    MachineQuantity{"cluster.gpu.flops", scale_peaks},
    MachineQuantity{"cluster.gpu.vector_flops", scale<&Cluster::gpu, &Accelerator::vector_flops>},
    MachineQuantity{"cluster.gpu.memory_bandwidth", scale<&Cluster::gpu, &Accelerator::memory_bandwidth>},
    MachineQuantity{kMemoryField, scale<&Cluster::gpu, &Accelerator::memory>},
    MachineQuantity{"cluster.network[].bandwidth",
                    [](Scenario& s, double f, size_t tier) { times(s.cluster.network[tier].bandwidth, f); }},
    MachineQuantity{"cluster.network[].latency",
                    [](Scenario& s, double f, size_t tier) { times(s.cluster.network[tier].latency, f); }},
    MachineQuantity{
        .field = "cluster.host.bandwidth", .scale = scale<&Cluster::host, &Host::bandwidth>, .acts = offloads},
    MachineQuantity{.field = "cluster.host.memory_bandwidth",
                    .scale = scale<&Cluster::host, &Host::memory_bandwidth>,
                    .acts = offloads},
    MachineQuantity{.field = kHostMemoryField, .scale = scale<&Cluster::host, &Host::memory>, .acts = offloads},
    priced<&Cluster::price>("cluster.price"),
    priced<&Cluster::purchase, &Purchase::gpu_price>("cluster.purchase.gpu_price"),
    priced<&Cluster::purchase, &Purchase::node_price>("cluster.purchase.node_price"),
    priced<&Cluster::power_price>("cluster.power_price"),
};

constexpr std::string_view kTier = "[]";
bool of_a_tier(const MachineQuantity& row) { return row.field.find(kTier) != std::string_view::npos; }

MachineChange of_tier(const MachineQuantity& row, size_t tier) {
  std::string field(row.field);
  if (of_a_tier(row)) field.insert(field.find(kTier) + 1, std::to_string(tier));
  return {std::move(field), [scale = row.scale, tier](Scenario& s, double factor) { scale(s, factor, tier); }};
}

}  // namespace

std::vector<MachineChange> machine_changes(const Scenario& s, bool offloads) {
  std::vector<MachineChange> changes, of_tiers;
  for (size_t tier = 0; tier < s.cluster.network.size(); ++tier)
    for (const MachineQuantity& row : kQuantities)
      if (of_a_tier(row)) of_tiers.push_back(of_tier(row, tier));
  for (const MachineQuantity& row : kQuantities) {
    if (row.acts && !row.acts(s, offloads)) continue;
    if (!of_a_tier(row)) changes.push_back(of_tier(row, 0));
    else changes.insert(changes.end(), of_tiers.begin(), of_tiers.end()), of_tiers.clear();
  }
  return changes;
}

}  // namespace planner
