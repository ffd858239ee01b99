#include "planner/plan/knobs.h"

namespace planner {
namespace {

template <class Q> void times(Q& quantity, double factor) { quantity.value *= factor; }
template <class Q> void times(std::optional<Q>& quantity, double factor) {
  if (quantity) times(*quantity, factor);
}

void scale_peaks(Scenario& s, double factor) {
  hw_profiles::Peaks& p = s.cluster.gpu.flops;
  for (auto* peak : {&p.fp32, &p.tf32, &p.fp16, &p.bf16, &p.fp8, &p.mxfp8, &p.nvfp4}) times(*peak, factor);
}

void add_tier(std::vector<Knob>& knobs, size_t tier) {
  const std::string path = "cluster.network[" + std::to_string(tier) + "].";
  knobs.push_back({path + "bandwidth", [tier](Scenario& s, double f) { times(s.cluster.network[tier].bandwidth, f); }});
  knobs.push_back({path + "latency", [tier](Scenario& s, double f) { times(s.cluster.network[tier].latency, f); }});
}

}  // namespace

std::vector<Knob> knobs_of(const Scenario& s, bool offloads) {
  std::vector<Knob> knobs{
      {"cluster.gpu.flops", scale_peaks},
      {"cluster.gpu.vector_flops", [](Scenario& t, double f) { times(t.cluster.gpu.vector_flops, f); }},
      {"cluster.gpu.memory_bandwidth", [](Scenario& t, double f) { times(t.cluster.gpu.memory_bandwidth, f); }},
      {kMemoryKnob, [](Scenario& t, double f) { times(t.cluster.gpu.memory, f); }},
  };
  for (size_t tier = 0; tier < s.cluster.network.size(); ++tier) add_tier(knobs, tier);
  if (offloads) {
    knobs.push_back({"cluster.host.bandwidth", [](Scenario& t, double f) { times(t.cluster.host.bandwidth, f); }});
    knobs.push_back(
        {"cluster.host.memory_bandwidth", [](Scenario& t, double f) { times(t.cluster.host.memory_bandwidth, f); }});
    knobs.push_back({kHostMemoryKnob, [](Scenario& t, double f) { times(t.cluster.host.memory, f); }});
  }
  if (s.cluster.price) knobs.push_back({"cluster.price", [](Scenario& t, double f) { times(t.cluster.price, f); }});
  if (s.cluster.purchase.gpu_price)
    knobs.push_back(
        {"cluster.purchase.gpu_price", [](Scenario& t, double f) { times(t.cluster.purchase.gpu_price, f); }});
  if (s.cluster.purchase.node_price)
    knobs.push_back(
        {"cluster.purchase.node_price", [](Scenario& t, double f) { times(t.cluster.purchase.node_price, f); }});
  if (s.cluster.power_price)
    knobs.push_back({"cluster.power_price", [](Scenario& t, double f) { times(t.cluster.power_price, f); }});
  return knobs;
}

}  // namespace planner
