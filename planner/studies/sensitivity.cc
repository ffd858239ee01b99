#include "planner/studies/sensitivity.h"

#include <cmath>
#include <functional>

#include "planner/plan.h"

namespace planner {
namespace {

constexpr double kMore = 1.1;

template <class Q> void scale(Q& quantity) { quantity.value *= kMore; }
template <class Q> void scale(std::optional<Q>& quantity) {
  if (quantity) scale(*quantity);
}

/// A field and what makes it larger by 10 %.
struct Knob {
  std::string field;
  std::function<void(Scenario&)> enlarge;
};

void enlarge_peaks(Scenario& s) {
  hw_profiles::Peaks& p = s.cluster.gpu.flops;
  for (auto* peak : {&p.fp32, &p.tf32, &p.fp16, &p.bf16, &p.fp8, &p.mxfp8, &p.nvfp4}) scale(*peak);
}

void add_tier(std::vector<Knob>& knobs, size_t tier) {
  const std::string path = "cluster.network[" + std::to_string(tier) + "].";
  knobs.push_back({path + "bandwidth", [tier](Scenario& s) { scale(s.cluster.network[tier].bandwidth); }});
  knobs.push_back({path + "latency", [tier](Scenario& s) { scale(s.cluster.network[tier].latency); }});
}

constexpr const char* kMemory = "cluster.gpu.memory";
constexpr const char* kHostMemory = "cluster.host.memory";

std::vector<Knob> knobs_of(const Scenario& s, bool offloads) {
  std::vector<Knob> knobs{
      {"cluster.gpu.flops", enlarge_peaks},
      {"cluster.gpu.vector_flops", [](Scenario& t) { scale(t.cluster.gpu.vector_flops); }},
      {"cluster.gpu.memory_bandwidth", [](Scenario& t) { scale(t.cluster.gpu.memory_bandwidth); }},
      {kMemory, [](Scenario& t) { scale(t.cluster.gpu.memory); }},
  };
  for (size_t tier = 0; tier < s.cluster.network.size(); ++tier) add_tier(knobs, tier);
  if (offloads) {
    knobs.push_back({"cluster.host.bandwidth", [](Scenario& t) { scale(t.cluster.host.bandwidth); }});
    knobs.push_back({"cluster.host.memory_bandwidth", [](Scenario& t) { scale(t.cluster.host.memory_bandwidth); }});
    knobs.push_back({kHostMemory, [](Scenario& t) { scale(t.cluster.host.memory); }});
  }
  if (s.cluster.price) knobs.push_back({"cluster.price", [](Scenario& t) { scale(t.cluster.price); }});
  if (s.cluster.purchase.gpu_price)
    knobs.push_back({"cluster.purchase.gpu_price", [](Scenario& t) { scale(t.cluster.purchase.gpu_price); }});
  if (s.cluster.purchase.node_price)
    knobs.push_back({"cluster.purchase.node_price", [](Scenario& t) { scale(t.cluster.purchase.node_price); }});
  if (s.cluster.power_price)
    knobs.push_back({"cluster.power_price", [](Scenario& t) { scale(t.cluster.power_price); }});
  return knobs;
}

/// 0 where nothing moves, also from nothing to nothing.
double elasticity(double before, double after) {
  return before == after ? 0 : std::log(after / before) / std::log(kMore);
}

std::optional<double> headroom(const std::string& field, const Memory& memory) {
  if (field == kMemory) return 1 - memory.peak_bytes / memory.capacity_bytes;
  if (field == kHostMemory) return 1 - memory.host_bytes / memory.host_capacity_bytes;
  return std::nullopt;
}

}  // namespace

std::vector<Sensitivity> sensitivities(const Scenario& scenario) {
  const Plan plan = make_figures(scenario);
  std::vector<Sensitivity> rows;
  for (const Knob& knob : knobs_of(scenario, plan.memory->host_bytes > 0)) {
    Scenario larger = scenario;
    knob.enlarge(larger);
    const Plan other = make_figures(larger);
    Sensitivity row{.field = knob.field,
                    .step_elasticity = elasticity(plan.step->seconds, other.step->seconds),
                    .usd_elasticity = std::nullopt,
                    .headroom_fraction = headroom(knob.field, *plan.memory)};
    if (plan.cost->usd && other.cost->usd) row.usd_elasticity = elasticity(*plan.cost->usd, *other.cost->usd);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace planner
