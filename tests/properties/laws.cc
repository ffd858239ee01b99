#include "tests/properties/laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace properties {
namespace {

constexpr double kRounding = 1e-12;

bool exceeds(double a, double b) { return !(a <= b * (1 + kRounding)); }

Verdict not_above(double after, double before, double low, double high, const char* unit) {
  if (!exceeds(low, high)) return {};
  return {fmt::format("{} {} become {}", before, unit, after), low / high - 1};
}

Verdict not_slower(const Plan& before, const Plan& after) {
  const double a = before.step->seconds, b = after.step->seconds;
  return not_above(b, a, b, a, "s");
}

Verdict not_faster(const Plan& before, const Plan& after) {
  const double a = before.step->seconds, b = after.step->seconds;
  return not_above(b, a, a, b, "s");
}

Verdict no_more_memory(const Plan& before, const Plan& after) {
  const double a = before.memory->device.peak_bytes, b = after.memory->device.peak_bytes;
  return not_above(b, a, b, a, "bytes");
}

// ---- a single plan ----

Verdict finite(const Plan& plan, const Plan&) {
  std::vector<std::pair<const char*, double>> figures{{"step", plan.step->seconds},
                                                      {"low", plan.step->low_seconds},
                                                      {"high", plan.step->high_seconds},
                                                      {"device bytes", plan.memory->device.peak_bytes},
                                                      {"host bytes", plan.memory->host.peak_bytes},
                                                      {"mfu", plan.throughput->mfu},
                                                      {"hfu", plan.throughput->hfu},
                                                      {"tokens per second", plan.throughput->tokens_per_second},
                                                      {"goodput", plan.cost->goodput}};
  for (const planner::BreakdownPart& part : planner::kBreakdownParts)
    figures.emplace_back(part.name, (*plan.breakdown).*part.seconds);
  for (const planner::StageMemory& stage : plan.memory->stages)
    for (double bytes : {stage.weights, stage.gradients, stage.optimizer, stage.activations, stage.temporary,
                         stage.fragmentation, stage.host})
      figures.emplace_back("bytes of a stage", bytes);
  for (const planner::CommunicationRow& row : plan.communication)
    for (double figure : {row.bytes, row.count, row.seconds, row.hidden_seconds, row.exposed_seconds})
      figures.emplace_back(row.name.c_str(), figure);
  for (const auto& [name, figure] : figures)
    if (!std::isfinite(figure) || figure < 0) return {fmt::format("{} is {}", name, figure)};
  return {};
}

Verdict ordered(const Plan& plan, const Plan&) {
  const planner::StepTime& step = *plan.step;
  if (!(step.low_seconds <= step.seconds && step.seconds <= step.high_seconds))
    return {fmt::format("step {} s from {} to {}", step.seconds, step.low_seconds, step.high_seconds)};
  const planner::Memory& memory = *plan.memory;
  if (!(memory.allocated_bytes <= memory.reserved_bytes && memory.reserved_bytes <= memory.device.peak_bytes))
    return {fmt::format("allocated {}, reserved {}, device {}", memory.allocated_bytes, memory.reserved_bytes,
                        memory.device.peak_bytes)};
  return {};
}

Verdict summing(const Plan& plan, const Plan&) {
  const double sum = plan.breakdown->sum();
  if (std::abs(sum - plan.step->seconds) > kRounding * plan.step->seconds)
    return {fmt::format("the parts come to {} s, the step takes {}", sum, plan.step->seconds)};
  for (const planner::CommunicationRow& row : plan.communication)
    if (std::abs(row.hidden_seconds + row.exposed_seconds - row.seconds) > 1e-9 * row.seconds)
      return {fmt::format("{}: {} s hidden and {} s exposed of {}", row.name, row.hidden_seconds, row.exposed_seconds,
                          row.seconds)};
  double fullest = 0;
  for (const planner::StageMemory& stage : plan.memory->stages) fullest = std::max(fullest, stage.total());
  if (std::abs(fullest - plan.memory->device.peak_bytes) > kRounding * fullest)
    return {fmt::format("the fullest stage holds {} bytes, the plan says {}", fullest, plan.memory->device.peak_bytes)};
  return {};
}

Verdict below_peak(const Plan& plan, const Plan&) {
  const planner::Throughput& t = *plan.throughput;
  if (exceeds(t.mfu, t.hfu)) return {fmt::format("MFU {} above HFU {}", t.mfu, t.hfu)};
  if (exceeds(t.hfu, 1)) return {fmt::format("HFU {}", t.hfu)};
  return {};
}

// ---- what can only help ----

/// Multiplies a quantity; returns what says the same.
template <class Quantity> Sets scale(const std::string& path, Quantity& quantity, double factor, const char* unit) {
  quantity *= factor;
  return {fmt::format("{}={} {}", path, quantity.value, unit)};
}

double growth(Random& random) { return random.chance(0.3) ? 1 + 0.1 * random.unit() : 1 + 30 * random.unit(); }

size_t any_tier(const Scenario& s, Random& random) {
  return static_cast<size_t>(random.below(static_cast<int64_t>(s.cluster.network.size())));
}

Sets shorter_hops(Scenario& s, Random& random) {
  const size_t tier = any_tier(s, random);
  return scale(fmt::format("cluster.network[{}].latency", tier), s.cluster.network[tier].latency,
               random.chance(0.3) ? 0 : random.unit(), "s");
}

Sets wider_tier(Scenario& s, Random& random) {
  const size_t tier = any_tier(s, random);
  return scale(fmt::format("cluster.network[{}].bandwidth", tier), s.cluster.network[tier].bandwidth, growth(random),
               "B/s");
}

Sets more_flops(Scenario& s, Random& random) {
  Sets sets;
  const double factor = growth(random);
  const auto grow = [&](const char* name, std::optional<dsl::FlopsPerSecond>& peak) {
    if (peak) sets = sets + scale(fmt::format("cluster.gpu.flops.{}", name), *peak, factor, "FLOP/s");
  };
  hw_profiles::Peaks& peaks = s.cluster.gpu.flops;
  grow("fp32", peaks.fp32), grow("tf32", peaks.tf32), grow("fp16", peaks.fp16), grow("bf16", peaks.bf16);
  grow("fp8", peaks.fp8), grow("mxfp8", peaks.mxfp8), grow("nvfp4", peaks.nvfp4);
  return sets;
}

Sets more_vector_flops(Scenario& s, Random& random) {
  return scale("cluster.gpu.vector_flops", s.cluster.gpu.vector_flops, growth(random), "FLOP/s");
}

Sets faster_memory(Scenario& s, Random& random) {
  return scale("cluster.gpu.memory_bandwidth", s.cluster.gpu.memory_bandwidth, growth(random), "B/s");
}

Sets faster_kernels(Scenario& s, Random& random) {
  s.cluster.gpu.speedup *= growth(random);
  return {fmt::format("cluster.gpu.speedup={}", s.cluster.gpu.speedup)};
}

Sets higher_caps(Scenario& s, Random& random) {
  hw_profiles::Accelerator& gpu = s.cluster.gpu;
  return scale("cluster.gpu.power_cap", gpu.power_cap, growth(random), "W") +
         scale("cluster.gpu.clock_cap", gpu.clock_cap, growth(random), "Hz");
}

Sets faster_launches(Scenario& s, Random& random) {
  return scale("software.launch", s.software.launch, random.unit(), "s");
}

Sets faster_host(Scenario& s, Random& random) {
  const double factor = growth(random);
  return scale("cluster.host.bandwidth", s.cluster.host.bandwidth, factor, "B/s") +
         scale("cluster.host.memory_bandwidth", s.cluster.host.memory_bandwidth, factor, "B/s");
}

// ---- replacements ----

Sets forward_alone(Scenario& s, Random&) {
  s.job.phase = planner::Phase::forward;
  return {"job.phase=forward"};
}

Sets shard_more(Scenario& s, Random&) {
  planner::Parallelism& p = s.parallelism;
  if (p.zero == 3 || p.zero_group == 1) return {};
  return {fmt::format("parallelism.zero={}", ++p.zero)};
}

Sets recompute(Scenario& s, Random& random) {
  planner::Recompute& how = s.parallelism.recompute;
  if (how != planner::Recompute::none) return {};
  how = random.chance(0.5) ? planner::Recompute::full : planner::Recompute::selective;
  return {fmt::format("parallelism.recompute={}", planner::kRecomputeNames[static_cast<size_t>(how)])};
}

Sets offload_more(Scenario& s, Random& random) {
  planner::Offload& o = s.parallelism.offload;
  const std::pair<const char*, double*> shares[] = {
      {"optimizer", &o.optimizer}, {"weights", &o.weights}, {"activations", &o.activations}};
  const auto& [name, share] = shares[random.below(3)];
  if (*share == 1) return {};
  *share = random.chance(0.5) ? 1 : std::min(1.0, *share + random.unit());
  return {fmt::format("parallelism.offload.{}={}", name, *share)};
}

Sets twice_the_batch(Scenario& s, Random&) { return {fmt::format("job.global_batch={}", s.job.global_batch *= 2)}; }

constexpr Law kLaws[] = {
    {"every figure is finite and not negative", nullptr, finite},
    {"figures that bound each other stand in order", nullptr, ordered},
    {"parts sum up", nullptr, summing},
    {"MFU is at most HFU, HFU at most 1", nullptr, below_peak},
    {"shorter hops are never slower", shorter_hops, not_slower, Kind::network},
    {"a wider tier is never slower", wider_tier, not_slower, Kind::network},
    {"more matrix FLOPS are never slower", more_flops, not_slower, Kind::machine},
    {"more vector FLOPS are never slower", more_vector_flops, not_slower, Kind::machine},
    {"a faster memory is never slower", faster_memory, not_slower, Kind::machine},
    {"faster kernels are never slower", faster_kernels, not_slower, Kind::machine},
    {"higher caps of power and clock are never slower", higher_caps, not_slower, Kind::machine},
    {"faster launches are never slower", faster_launches, not_slower, Kind::machine},
    {"a faster host and link to it are never slower", faster_host, not_slower, Kind::machine},
    {"forward alone holds no more than training", forward_alone, no_more_memory},
    {"forward alone takes no longer than training", forward_alone, not_slower},
    {"one ZeRO stage more holds no more", shard_more, no_more_memory},
    {"recompute holds no more", recompute, no_more_memory},
    {"recompute is never faster", recompute, not_faster},
    {"offloading holds no more on the device", offload_more, no_more_memory},
    {"twice the batch is never faster", twice_the_batch, not_faster},
};

}  // namespace

std::span<const Law> laws() { return kLaws; }

}  // namespace properties
