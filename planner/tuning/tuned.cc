#include "planner/tuning/tuned.h"

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

constexpr double kSmallestBytes = 1 << 16, kLargestBytes = 4.0 * (1 << 30);

TunedFramework tuned(const Framework& framework, const Backward& pass, const Sync& sync) {
  const auto played = [&](double bytes) { return replay(pass, framework.strategy(pass, bytes), sync); };
  TunedFramework found{
      .framework = &framework, .by_default = played(framework.default_bytes), .best_bytes = framework.default_bytes};
  found.best = found.by_default;
  if (framework.setting.empty()) return found;
  for (double bytes = kSmallestBytes; bytes <= kLargestBytes; bytes *= 2)
    if (Replay one = played(bytes); one.step_seconds < found.best.step_seconds)
      found.best = std::move(one), found.best_bytes = bytes;
  return found;
}

bool saves_something(const Piece& piece) { return piece.joined_saves_seconds > 0 || piece.within_saves_seconds > 0; }

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

Tuned tune(const Backward& pass, const Sync& sync) {
  const Allowed allowed{.operator_fusion = std::ranges::any_of(pass.pieces, saves_something)};
  Tuned all{.gradients = best_of_all(pass, sync, {.operator_fusion = false}),
            .rounds = improve(pass, sync, allowed, FusionStrategy(pass.pieces.size())),
            .best = best_of_all(pass, sync, allowed)};
  for (const Framework& framework : frameworks())
    if (!framework.fuses_operators || allowed.operator_fusion) all.frameworks.push_back(tuned(framework, pass, sync));
  return all;
}

std::vector<Candidate> candidates_of(const Subject& subject, const Tuned& tuned) {
  std::vector<Candidate> all;
  if (subject.measured)
    all.push_back({.name = "measured", .played = replay(subject.pass, *subject.measured, Sync(subject.sync, 1))});
  for (const TunedFramework& each : tuned.frameworks) {
    const auto add = [&](const char* suffix, double bytes, const Replay& played) {
      all.push_back({.name = std::string(each.framework->name) + suffix,
                     .framework = each.framework,
                     .size_bytes = bytes,
                     .fuses_operators = each.framework->fuses_operators,
                     .played = played});
    };
    add("", each.framework->default_bytes, each.by_default);
    if (each.best_bytes != each.framework->default_bytes) add(", tuned", each.best_bytes, each.best);
  }
  const bool fused = tuned.best.strategy.fuses_within;
  all.push_back({.name = "gradients", .played = tuned.gradients.replay});
  all.push_back({.name = "theorems", .fuses_operators = fused, .played = tuned.rounds.replay});
  all.push_back({.name = "best", .fuses_operators = fused, .played = tuned.best.replay});
  return all;
}

}  // namespace planner::tuning
