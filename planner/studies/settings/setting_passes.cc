#include "planner/studies/settings/setting_passes.h"

#include <fmt/format.h>

#include <array>

#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

bool trains(const Scenario& s) { return s.job.phase == Phase::train; }
bool reduces_once(const Scenario& s) { return trains(s) && s.parallelism.dp > 1 && !by_unit_sharding(s); }

std::vector<Sets> recompute(const Scenario& s) {
  std::vector<Sets> ways;
  if (!trains(s) || !s.model.operators.empty()) return ways;  // of a fixed list nothing is run again
  for (auto more = static_cast<size_t>(s.parallelism.recompute) + 1; more < kRecomputeNames.size(); ++more)
    ways.push_back({{"parallelism.recompute", kRecomputeNames[more]}});
  return ways;
}

// Parts of the microbatch, the largest first.
std::vector<Sets> accumulate(const Scenario& s) {
  std::vector<Sets> ways;
  if (!trains(s)) return ways;
  const int64_t whole = s.parallelism.microbatch;
  for (int64_t parts = 2; parts <= whole; ++parts)
    if (whole % parts == 0) ways.push_back({{"parallelism.microbatch", fmt::to_string(whole / parts)}});
  return ways;
}

std::vector<Sets> mixed_precision(const Scenario& s) {
  using hw_profiles::Precision;
  std::vector<Sets> ways;
  if (s.job.precision != Precision::fp32 && s.job.precision != Precision::tf32) return ways;
  for (const Precision half : {Precision::bf16, Precision::fp16})
    if (s.cluster.gpu.flops.at(half)) ways.push_back({{"job.precision", name(half)}});
  return ways;
}

std::vector<Sets> operator_fusion(const Scenario& s) {
  if (s.software.fusion.vector) return {};
  return {{{"software.fusion.vector", "true"}}};
}

// Powers of two between these.
std::vector<Sets> sizes(const char* field, int64_t least_kib, int64_t most_kib) {
  std::vector<Sets> ways;
  for (int64_t kib = least_kib; kib <= most_kib; kib *= 2)
    ways.push_back({{field, kib < 1024 ? fmt::format("{} KiB", kib) : fmt::format("{} MiB", kib / 1024)}});
  return ways;
}

std::vector<Sets> tensor_fusion(const Scenario& s) {
  if (!reduces_once(s) || s.parallelism.servers > 0) return {};
  return sizes("software.bucket_bytes", 1 << 10, 4 << 20);
}

std::vector<Sets> tensor_partition(const Scenario& s) {
  if (!reduces_once(s) || s.parallelism.servers == 0) return {};
  return sizes("software.partition_bytes", 64, 1 << 20);
}

double nothing(const Plan&) { return 0; }
double computation(const Plan& plan) {
  const Breakdown& b = *plan.breakdown;
  return b.forward + b.backward + b.recompute + b.optimizer + b.overhead;
}
double exposed(const Plan& plan) { return plan.breakdown->exposed_comm; }
double all(const Plan& plan) { return plan.step->seconds; }

constexpr std::array kPasses{
    SettingPass{"recompute", PassAim::memory, "activations are computed again instead of kept", "memory alone", nothing,
                recompute},
    SettingPass{"gradient-accumulation", PassAim::memory, "a microbatch is run in equal parts", "memory alone", nothing,
                accumulate},
    SettingPass{"mixed-precision", PassAim::time, "matrix products take 16 bits", "the whole step", all,
                mixed_precision},
    SettingPass{"operator-fusion", PassAim::time, "kernels bound by memory join the one before", "computation",
                computation, operator_fusion},
    SettingPass{"tensor-fusion", PassAim::time, "gradients are reduced in buckets of another size",
                "exposed communication", exposed, tensor_fusion},
    SettingPass{"tensor-partition", PassAim::time, "gradients are pushed in partitions of another size",
                "exposed communication", exposed, tensor_partition},
};

}  // namespace

std::span<const SettingPass> setting_passes() { return kPasses; }

}  // namespace planner
