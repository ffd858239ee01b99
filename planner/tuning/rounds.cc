#include <algorithm>
#include <utility>

#include "planner/tuning/last_rounds.h"
#include "planner/tuning/search.h"

namespace planner::tuning {
namespace {

/// One round: the pieces are taken in order, and the last group grows as long as the theorems allow.
class Round {
 public:
  Round(const Backward& pass, const Sync& sync, const Allowed& allowed, const FusionStrategy& before)
      : pass_(pass), sync_(sync), allowed_(allowed), replay_(tuning::replay(pass, before, sync)), made_(before) {}

  FusionStrategy run() {
    if (pass_.pieces.empty()) return made_;
    made_.fuses_within = allowed_.operator_fusion;
    begin_group(0);
    for (size_t n = 1; n < pass_.pieces.size(); ++n) {
      if (joined(n) || is_accepted(n)) join(n);
      else begin_group(n);
    }
    return made_;
  }

 private:
  // The group that the pieces before n are part of, as computation and as a gradient.
  struct FusionGroup {
    double seconds = 0, bytes = 0;
    double begin_computed = 0, begin_reduced = 0;  // the ends of what comes before it
  };

  bool joined(size_t n) const { return made_.joins_operator[n] || made_.joins_gradient[n]; }
  double sync(double bytes) const { return sync_.best(bytes).seconds; }
  double computed() const { return group_.begin_computed + group_.seconds; }
  double reduced() const {
    return group_.bytes > 0 ? std::max(group_.begin_reduced, computed()) + sync(group_.bytes) : group_.begin_reduced;
  }
  // The turn of the critical path from computation to communication decides which theorem applies.
  bool is_bound_by_computation(size_t n) const {
    const size_t turn = replay_.bound_by_communication;
    return turn >= replay_.buckets.size() || n <= replay_.buckets[turn].last;
  }

  bool is_accepted(size_t n) const {
    const Piece& own = pass_.pieces[n];
    const double fused = group_.seconds + own_seconds(n) - saves(n);
    if (is_bound_by_computation(n))
      return allowed_.operator_fusion && fuses_operators(sync(group_.bytes), group_.seconds, own_seconds(n), fused);
    if (!allowed_.gradient_fusion) return false;
    return fuses_gradients(reduced(), computed() + own_seconds(n) - saves(n), sync(group_.bytes + own.gradient_bytes),
                           sync(own.gradient_bytes));
  }
  double own_seconds(size_t n) const { return seconds_of(pass_.pieces[n], allowed_.operator_fusion); }
  double saves(size_t n) const { return allowed_.operator_fusion ? pass_.pieces[n].joined_saves_seconds : 0; }

  void begin_group(size_t n) {
    const double computed_before = n > 0 ? computed() : pass_.before_seconds;
    const double reduced_before = n > 0 ? reduced() : pass_.before_seconds;
    group_ = {.seconds = own_seconds(n),
              .bytes = pass_.pieces[n].gradient_bytes,
              .begin_computed = computed_before,
              .begin_reduced = reduced_before};
  }

  void join(size_t n) {
    group_.seconds += own_seconds(n) - saves(n);
    group_.bytes += pass_.pieces[n].gradient_bytes;
    made_.joins_operator[n] = allowed_.operator_fusion;
    made_.joins_gradient[n] = allowed_.gradient_fusion;
  }

  const Backward& pass_;
  const Sync& sync_;
  const Allowed allowed_;
  const Replay replay_;
  FusionStrategy made_;
  FusionGroup group_;
};

}  // namespace

StrategyReplay improve(const Backward& pass, const Sync& sync, const Allowed& allowed, FusionStrategy from) {
  StrategyReplay best{.strategy = from, .replay = replay(pass, from, sync)};
  LastRounds rounds(best.replay.step_seconds);
  FusionStrategy at = std::move(from);
  while (true) {
    FusionStrategy next = Round(pass, sync, allowed, at).run();
    if (next == at) return best;
    at = std::move(next);
    Replay played = replay(pass, at, sync);
    if (played.step_seconds < best.replay.step_seconds) best = {at, std::move(played)};
    if (rounds.are_enough(best.replay.step_seconds)) return best;
  }
}

}  // namespace planner::tuning
