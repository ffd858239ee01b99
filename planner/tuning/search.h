// The search for the shortest step: its possible changes, and their effect.
//
// The theorems of dPRO (Hu et al. 2022, section 5.1) give conditions under which fusing two neighbours makes a step
// shorter. The printed conditions were lost when the paper was converted. Here they are derived from the paper's
// definitions, for two neighbours n - 1 and n on the critical path. p: the time of a computation, q: of the reduction
// of its gradient, e: its end; opfs: the time of the fused computation; t(s): of reducing s bytes in the best number of
// partitions.
#pragma once

#include "planner/tuning/strategy.h"

namespace planner::tuning {

/// Where operators are fused, so are their gradients (dPRO, theorem 3).
struct Allowed {
  bool operator_fusion = true;
  bool gradient_fusion = true;
};

struct StrategyReplay {
  FusionStrategy strategy;
  Replay replay;
};

/// Algorithm 1 of dPRO (Hu et al. 2022, section 5.2): improves a strategy. Of the critical path the pieces that are
/// bound by computation are fused by theorem 1, those behind them by theorem 2, and the path is found again; until five
/// rounds together gain less than 0.1 % of the step. Nothing that is fused is parted again. Returns the best of all
/// rounds.
StrategyReplay improve(const Backward& pass, const Sync& sync, const Allowed& allowed, FusionStrategy from);

/// Theorem 1, for a step that waits for computation: the reduction of gradient n - 1 can no longer begin when its
/// computation ends; this must cost at most the time that fusing saves.
///
///     q[n-1] <= p[n-1] + p[n] - opfs(p[n-1], p[n])
inline bool fuses_operators(double sync_before, double before, double own, double fused) {
  return sync_before <= before + own - fused;
}

/// Theorem 2, where communication is: gradient n is there before the reduction of n - 1 is over, by more than the
/// reduction of both takes longer than that of n alone.
///
///     qe[n-1] > pe[n] + t(s[n-1] + s[n]) - t(s[n])
inline bool fuses_gradients(double sync_end_before, double end, double sync_joined, double sync_own) {
  return sync_end_before > end + sync_joined - sync_own;
}

/// Returns the strategy of the shortest step of all that fuse neighbours, operators where their gradients are
/// (theorem 3): of each prefix of the pieces all pairs of ends, of computation and reduction, that no other pair is
/// below. Takes the square of the number of pieces.
StrategyReplay best_of_all(const Backward& pass, const Sync& sync, const Allowed& allowed);

}  // namespace planner::tuning
