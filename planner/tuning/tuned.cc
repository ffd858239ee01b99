#include "planner/tuning/tuned.h"

#include <algorithm>
#include <utility>

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

bool saves_something(const Piece& piece) { return piece.joined_saves_seconds > 0 || piece.within_saves_seconds > 0; }

}  // namespace

Tuned tune(const Backward& pass, const Sync& sync) {
  const Allowed allowed{.operator_fusion = std::ranges::any_of(pass.pieces, saves_something)};
  Tuned all{.frameworks = {},
            .gradients = best_of_all(pass, sync, {.operator_fusion = false}),
            .rounds = improve(pass, sync, allowed, Strategy(pass.pieces.size())),
            .best = best_of_all(pass, sync, allowed)};
  for (const Framework& framework : frameworks())
    if (!framework.fuses_operators || allowed.operator_fusion) all.frameworks.push_back(tuned(framework, pass, sync));
  return all;
}

}  // namespace planner::tuning
