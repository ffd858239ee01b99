#include "planner/tuning/tuned.h"

namespace planner::tuning {
namespace {

constexpr double kSmallestBytes = 1 << 16, kLargestBytes = 4.0 * (1 << 30);

TunedFramework tuned(const Framework& framework, const Backward& pass, const Sync& sync) {
  const auto played = [&](double bytes) { return replay(pass, framework.strategy(pass, bytes), sync); };
  TunedFramework found{.framework = &framework,
                       .by_default = played(framework.default_bytes),
                       .best = {},
                       .best_bytes = framework.default_bytes};
  found.best = found.by_default;
  if (framework.setting.empty()) return found;
  for (double bytes = kSmallestBytes; bytes <= kLargestBytes; bytes *= 2)
    if (Replay one = played(bytes); one.step_seconds < found.best.step_seconds)
      found.best = std::move(one), found.best_bytes = bytes;
  return found;
}

}  // namespace

Tuned tune(const Backward& pass, const Sync& sync) {
  Tuned all{.frameworks = {},
            .gradients = best_of_all(pass, sync, {.operator_fusion = false}),
            .rounds = improve(pass, sync, {}, Strategy(pass.pieces.size())),
            .best = best_of_all(pass, sync, {})};
  for (const Framework& framework : frameworks()) all.frameworks.push_back(tuned(framework, pass, sync));
  return all;
}

}  // namespace planner::tuning
