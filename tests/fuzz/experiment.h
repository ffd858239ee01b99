// Invariants of every experiment that is read.
#pragma once

#include <cmath>

#include "planner/scaling/read/measurements.h"
#include "tests/fuzz/fuzz.h"

namespace fuzz {

inline void require_whole(const planner::scaling::Experiment& experiment) {
  require(!experiment.parameters.empty() && experiment.parameters.size() <= 4 && !experiment.series.empty());
  for (const auto& point : experiment.points) require(point.size() == experiment.parameters.size());
  for (const planner::scaling::MeasurementSeries& series : experiment.series) {
    require(!series.points.empty() && series.points.size() == series.values.size());
    for (size_t i = 0; i < series.points.size(); ++i) {
      require(series.points[i] < experiment.points.size() && !series.values[i].empty());
      for (const double value : series.values[i]) require(std::isfinite(value) && value >= 0);
    }
  }
}

using Reading = std::optional<planner::scaling::Experiment>;

/// Checks what `read` says or reads.
template <class Read> Reading read_experiment(Read read) {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  Reading experiment = read(sources, diagnostics);
  require_value_or_error(experiment, diagnostics);
  require_places(diagnostics, Places::where_known);
  if (experiment) require_whole(*experiment);
  return experiment;
}

/// Reads bytes as a file of that name.
inline Reading read_experiment(const std::string& name, const std::string& bytes) {
  return read_experiment([&](dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
    return planner::scaling::read_measurements_text(name, bytes, sources, diagnostics);
  });
}

}  // namespace fuzz
