#include "planner/tuning/frameworks.h"

#include <algorithm>
#include <array>
#include <utility>

namespace planner::tuning {
namespace {

constexpr double kMiB = 1 << 20;

FusionStrategy nothing_fused(const Backward& pass, double) { return FusionStrategy(pass.pieces.size()); }

// A bucket is full with the gradient that reaches its size; the first one is small, so that something is reduced soon.
FusionStrategy buckets(const Backward& pass, double size_bytes) {
  constexpr double kFirstBytes = 1 * kMiB;
  FusionStrategy strategy(pass.pieces.size());
  double limit = std::min(kFirstBytes, size_bytes), bytes = 0;
  for (size_t i = 0; i < pass.pieces.size(); ++i) {
    strategy.joins_gradient[i] = bytes > 0;
    bytes += pass.pieces[i].gradient_bytes;
    if (bytes >= limit) bytes = 0, limit = size_bytes;
  }
  return strategy;
}

// What became ready since the last cycle is reduced as one, as far as the buffer goes.
FusionStrategy cycles_of(const Backward& pass, double buffer_bytes, FusionStrategy strategy) {
  constexpr double kCycleSeconds = 5e-3;
  strategy.cycle_seconds = kCycleSeconds;
  const std::vector<double> ends = replay(pass, strategy, Sync([](double, int) { return 0.0; }, 1)).piece_ends;
  double bytes = 0, cycle = -1;
  for (size_t i = 0; i < ends.size(); ++i) {
    const double own = pass.pieces[i].gradient_bytes, at = next_cycle_seconds(ends[i], kCycleSeconds);
    strategy.joins_gradient[i] = i > 0 && at == cycle && bytes + own <= buffer_bytes;
    bytes = strategy.joins_gradient[i] ? bytes + own : own;
    cycle = at;
  }
  return strategy;
}

FusionStrategy cycles(const Backward& pass, double size_bytes) {
  return cycles_of(pass, size_bytes, FusionStrategy(pass.pieces.size()));
}

FusionStrategy partitions(const Backward& pass, double size_bytes) {
  FusionStrategy strategy(pass.pieces.size());
  strategy.largest_partition_bytes = size_bytes;
  return strategy;
}

FusionStrategy one_operator(const Backward& pass, double size_bytes) {
  FusionStrategy strategy(pass.pieces.size());
  for (size_t i = 1; i < pass.pieces.size(); ++i) strategy.joins_operator[i] = true;
  strategy.fuses_within = true;
  return cycles_of(pass, size_bytes, std::move(strategy));
}

}  // namespace

std::span<const Framework> frameworks() {
  static constexpr std::array kFrameworks{
      Framework{"unfused", "each gradient by itself", "", 1, 0, false, "", nothing_fused},
      Framework{
          "ddp", "buckets that are full at a size, the first one at 1 MiB", "bucket_cap_mb", kMiB, 25 * kMiB, false,
          "PyTorch, torch/nn/parallel/distributed.py: bucket_cap_mb; reducer.hpp: kDefaultFirstBucketBytes", buckets},
      Framework{"horovod", "what is ready every 5 ms, up to a size", "HOROVOD_FUSION_THRESHOLD", 1, 64 * kMiB, false,
                "Hu et al. 2022, section 7.1: 5 ms, 64 MB", cycles},
      Framework{"byteps", "each gradient by itself, in partitions of a size", "BYTEPS_PARTITION_BYTES", 1, 4096000,
                false, "Hu et al. 2022, section 7.1: 4 MB; BytePS, docs/env.md", partitions},
      Framework{"xla", "one operator, its gradients as horovod's", "HOROVOD_FUSION_THRESHOLD", 1, 64 * kMiB, true,
                "Hu et al. 2022, section 7.1: XLA fuses as many operators as possible", one_operator},
  };
  return kFrameworks;
}

}  // namespace planner::tuning
