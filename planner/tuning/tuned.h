// Defaults of frameworks, the best value of their setting, and the best strategy overall; and these as the candidates
// that a page compares, by the names that select them.
//
// How frameworks fuse and partition gradients: a rule and a size each, which can be set.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "planner/tuning/search.h"
#include "planner/tuning/strategy.h"
#include "planner/tuning/subject.h"

namespace planner::tuning {

struct Framework {
  std::string_view name, summary;
  std::string_view setting;  // of the size; empty: the program has no such setting
  double bytes_per_unit;     // of the setting
  double default_bytes;
  bool fuses_operators;
  const char* source;
  FusionStrategy (*strategy)(const Backward& pass, double size_bytes);
};
std::span<const Framework> frameworks();

/// A framework with its default, and with the size of the shortest step: of the powers of two from 64 KiB to 4 GiB and
/// the default. Of equal steps the default, else the smallest.
struct TunedFramework {
  const Framework* framework = nullptr;
  Replay by_default, best;
  double best_bytes = 0;
};

struct Tuned {
  std::vector<TunedFramework> frameworks;  // those that fuse operators where that saves something
  StrategyReplay gradients;                // the best where operators stay as they are
  StrategyReplay rounds;                   // of the theorems, from nothing fused
  StrategyReplay best;                     // of all strategies
};

Tuned tune(const Backward& pass, const Sync& sync);

struct Candidate {
  std::string name;                      // "measured", "ddp", "ddp, tuned", "best"
  const Framework* framework = nullptr;  // null: no framework's
  double size_bytes = 0;                 // of its setting
  bool fuses_operators = false;
  Replay played;
  std::optional<double> replayed_seconds = {};  // the step on the graph of the traces (real_graph.h)
};

/// Returns the candidates: the measured one; each framework by default, and at its best if that is another size; those
/// without a setting; the best one last.
std::vector<Candidate> candidates_of(const Subject& subject, const Tuned& tuned);

}  // namespace planner::tuning
