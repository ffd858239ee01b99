#include "planner/plan/single_changes.h"

#include <string_view>
#include <utility>

namespace planner {
namespace {

using hw_profiles::Accelerator;
using hw_profiles::Cluster;
using hw_profiles::Host;
using hw_profiles::Purchase;
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

/// Stages of half the length hold half the chunks where they would be too short.
bool more_stages(Scenario& s, const Degree& stages, int64_t factor) {
  Parallelism& p = s.parallelism;
  if (!p.stages.empty() || !grow(s, stages, factor)) return false;
  while (p.interleave > 1 && p.pp * p.interleave > s.model.layers) p.interleave = (p.interleave + 1) / 2;
  return true;
}
template <double Offload::*share> bool offload(Scenario& s, Amount, size_t) {
  return std::exchange(s.parallelism.offload.*share, 1) < 1;
}

template <class Q> bool times(Q& quantity, double factor) { return quantity.value *= factor, true; }
template <class Q> bool times(std::optional<Q>& quantity, double factor) {
  return quantity && times(*quantity, factor);
}
/// `path`: of members, from the cluster on.
template <auto... path> bool scale(Scenario& s, Amount factor, size_t) { return times((s.cluster.*....*path), factor); }
/// A price that acts where the scenario has it.
template <auto... path> SingleChange priced(const char* field) {
  return {.field = field, .apply = scale<path...>, .acts = [](const Scenario& s, bool) {
            return (s.cluster.*....*path).has_value();
          }};
}
bool scale_peaks(Scenario& s, Amount factor, size_t) {
  hw_profiles::Peaks& p = s.cluster.gpu.flops;
  for (auto* peak : {&p.fp32, &p.tf32, &p.fp16, &p.bf16, &p.fp8, &p.mxfp8, &p.nvfp4}) times(*peak, factor);
  return true;
}
bool offloads(const Scenario&, bool offloads) { return offloads; }

std::vector<SingleChange> before_degrees() {
  return {
      {"parallelism.sequence_parallel", use_sequence_parallel, 1, "parallelism.sequence_parallel=true"},
      {"parallelism.zero", shard, 1, "parallelism.zero=1"},
      {"parallelism.zero", shard, 2},
      {"parallelism.zero", shard, 3, "parallelism.zero=3"},
      {"parallelism.recompute", recompute, 1, "parallelism.recompute=selective"},
      {"parallelism.recompute", recompute, 2, "parallelism.recompute=full"},
      {"parallelism.microbatch", divide_microbatch, 2, "half the microbatch"},
      {"parallelism.microbatch", divide_microbatch, 4},
  };
}

// A row for each factor of each degree; the first row of a degree that saves memory is reported.
std::vector<SingleChange> of_degrees() {
  std::vector<SingleChange> rows;
  for (const Degree& degree : degrees())
    for (const int64_t factor : degree.factors) {
      if (factor == 0) continue;
      SingleChange row{.field = degree_path(degree), .apply = nullptr, .amount = static_cast<double>(factor)};
      row.degree = &degree;
      if (degree.relief && factor == degree.factors[0])
        row.text = degree.relief + std::string(degree.has_ranks() ? " and half the data parallelism" : "");
      rows.push_back(std::move(row));
    }
  return rows;
}

std::vector<SingleChange> behind_degrees() {
  return {
      {"parallelism.offload.optimizer", offload<&Offload::optimizer>, 1},
      {"parallelism.offload.activations", offload<&Offload::activations>, 1},
      {"cluster.gpu.flops", scale_peaks},
      {"cluster.gpu.vector_flops", scale<&Cluster::gpu, &Accelerator::vector_flops>},
      {"cluster.gpu.memory_bandwidth", scale<&Cluster::gpu, &Accelerator::memory_bandwidth>},
      {kMemoryField, scale<&Cluster::gpu, &Accelerator::memory>},
      {"cluster.network[].bandwidth",
       [](Scenario& s, Amount f, size_t tier) { return times(s.cluster.network[tier].bandwidth, f); }},
      {"cluster.network[].latency",
       [](Scenario& s, Amount f, size_t tier) { return times(s.cluster.network[tier].latency, f); }},
      {.field = "cluster.host.bandwidth", .apply = scale<&Cluster::host, &Host::bandwidth>, .acts = offloads},
      {.field = "cluster.host.memory_bandwidth",
       .apply = scale<&Cluster::host, &Host::memory_bandwidth>,
       .acts = offloads},
      {.field = kHostMemoryField, .apply = scale<&Cluster::host, &Host::memory>, .acts = offloads},
      priced<&Cluster::price>("cluster.price"),
      priced<&Cluster::purchase, &Purchase::gpu_price>("cluster.purchase.gpu_price"),
      priced<&Cluster::purchase, &Purchase::node_price>("cluster.purchase.node_price"),
      priced<&Cluster::power_price>("cluster.power_price"),
  };
}

std::vector<SingleChange> make_changes() {
  std::vector<SingleChange> all = before_degrees();
  for (auto part : {of_degrees(), behind_degrees()}) all.insert(all.end(), part.begin(), part.end());
  return all;
}

constexpr std::string_view kTier = "[]";
bool of_a_tier(const SingleChange& row) { return row.field.find(kTier) != std::string::npos; }

MachineChange of_tier(const SingleChange& row, size_t tier) {
  std::string field = row.field;
  if (of_a_tier(row)) field.insert(field.find(kTier) + 1, std::to_string(tier));
  return {std::move(field), [apply = row.apply, tier](Scenario& s, double factor) { apply(s, factor, tier); }};
}

}  // namespace

std::span<const SingleChange> single_changes() {
  static const std::vector<SingleChange> changes = make_changes();
  return changes;
}

bool grow(Scenario& s, const Degree& degree, int64_t factor) {
  Parallelism& p = s.parallelism;
  if (degree.within_node && factor * p.*degree.value > s.cluster.gpus_per_node) return false;
  if (degree.cut == Cut::experts && s.model.experts.count == 0) return false;
  if (degree.has_ranks() && p.dp % factor != 0) return false;
  const int64_t left = degree.has_ranks() ? p.dp / factor : p.dp;
  const bool whole_group = p.zero_group == data_ranks(p);
  p.*degree.value *= factor;
  p.dp = left;
  if (whole_group) p.zero_group = data_ranks(p);
  return true;
}

bool apply_change(const SingleChange& change, Scenario& s) {
  if (!change.degree) return change.apply(s, change.amount, 0);
  const auto factor = static_cast<int64_t>(change.amount);
  return change.degree->value == &Degrees::pp ? more_stages(s, *change.degree, factor)
                                              : grow(s, *change.degree, factor);
}

std::vector<MachineChange> machine_changes(const Scenario& s, bool offloads) {
  std::vector<MachineChange> changes, of_tiers;
  for (size_t tier = 0; tier < s.cluster.network.size(); ++tier)
    for (const SingleChange& row : single_changes())
      if (of_a_tier(row)) of_tiers.push_back(of_tier(row, tier));
  for (const SingleChange& row : single_changes()) {
    if (row.amount != 0 || (row.acts && !row.acts(s, offloads))) continue;
    if (!of_a_tier(row)) changes.push_back(of_tier(row, 0));
    else changes.insert(changes.end(), of_tiers.begin(), of_tiers.end()), of_tiers.clear();
  }
  return changes;
}

}  // namespace planner
