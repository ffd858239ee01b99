#include "planner/tuning/tuned.h"

#include <algorithm>
#include <utility>

namespace planner::tuning {
namespace {

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
