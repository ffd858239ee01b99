// Algorithm 1 of dPRO (Hu et al. 2022, section 5.2).
#pragma once

#include "planner/tuning/search.h"

namespace planner::tuning {

/// Improves a strategy: of the critical path the pieces that are bound by computation are fused by theorem 1, those
/// behind them by theorem 2 (accept.h), and the path is found again; until five rounds together gain less than 0.1 % of
/// the step. Nothing that is fused is parted again. Returns the best of all rounds.
Found improve(const Backward& pass, const Sync& sync, const Allowed& allowed, Strategy from);

}  // namespace planner::tuning
