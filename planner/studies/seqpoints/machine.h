// SeqPoints found on one machine, run on others (Pati 2024, sections 3.4.4 and 3.4.5).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/resolve/read.h"
#include "planner/resolve/roadmap_read.h"
#include "planner/seqpoint/select.h"

namespace planner::seqpoint {

/// Returns the seconds of a step of the scenario at each of the lengths: `job.sequence` takes them one after the other,
/// what `step` sets lies above what `text` sets. nullopt: diagnosed, also where the scenario leaves a choice open, or
/// where a length has no plan. A length that overflows the memory has one, and a warning.
std::optional<std::vector<double>> planned_times(const ScenarioText& text, const RoadmapStep& step,
                                                 const std::vector<int64_t>& lengths, dsl::Diagnostics& diagnostics);

/// A sample's projection for a machine.
struct Projected {
  double seconds = 0, error = 0;  // of the epoch there; (projected - actual) / actual
  double speedup = 0;             // of the machine over the first, both projected by the sample
};

/// Holds a machine with the times of all lengths of the epoch there.
struct Machine {
  std::string name;
  double seconds = 0, speedup = 0;   // of the epoch, all iterations counted; over the first machine
  std::vector<Projected> projected;  // by each of the samples
};

Machine project(const Epoch& epoch, const std::vector<Sample>& samples, const std::string& name,
                const std::vector<double>& times);

/// Returns exp(mean |ln(projected / actual)|) - 1 of a sample over machines, as everywhere in scores. REQUIRES: at
/// least one.
double geomean_error(const std::vector<Machine>& machines, size_t sample);

}  // namespace planner::seqpoint
