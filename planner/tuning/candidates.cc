#include "planner/tuning/candidates.h"

#include <utility>

namespace planner::tuning {

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
