// The strategies that a page sets side by side, by the names under which they are asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/tuning/subject.h"
#include "planner/tuning/tuned.h"

namespace planner::tuning {

struct Candidate {
  std::string name;                      // "measured", "ddp", "ddp, tuned", "best"
  const Framework* framework = nullptr;  // null: no framework's
  double size_bytes = 0;                 // of its setting
  bool fuses_operators = false;
  Replay played;
  std::optional<double> replayed_seconds = {};  // the step on the graph of the traces (real_graph.h)
};

/// Returns them: what was measured, each framework by default and at its best where that is another size, what has no
/// setting, the best one last.
std::vector<Candidate> candidates_of(const Subject& subject, const Tuned& tuned);

}  // namespace planner::tuning
