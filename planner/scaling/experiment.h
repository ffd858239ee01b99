// Measurements of a program at points of a parameter space: the output of readers, and the input of fits.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace planner::scaling {

/// The kind of a kernel of a training run (Extra-Deep, section 2.2). `none`: unknown.
enum class KernelCategory { none, computation, communication, memory };

/// Whether values belong to a training or to a validation step (Extra-Deep, equations 2 to 10).
enum class Phase { training, validation };

/// Values of one metric of one call path at points of a parameter space; a point's values are its repetitions.
struct MeasurementSeries {
  std::string callpath, metric;
  std::vector<size_t> points;               // indices into Experiment::points, each once
  std::vector<std::vector<double>> values;  // as long as `points`; no inner list is empty
  KernelCategory category = KernelCategory::none;
  Phase phase = Phase::training;
};

/// A kernel of profiles that too few configurations have for a model of it.
struct Rare {
  std::string callpath;
  size_t configurations = 0;
};

/// The time profiled at a point to find its steps: all marked steps of the longest of its profiles, including those of
/// the dropped epoch. Zero: no marked step.
struct ProfiledTime {
  double seconds = 0;
  size_t epochs = 0;
};

struct Experiment {
  std::vector<std::string> parameters;      // one to four
  std::vector<std::vector<double>> points;  // coordinates, one per parameter, each above zero; no point twice
  std::vector<MeasurementSeries> series;
  bool median = false;     // repetitions are summarised by their median (Extra-Deep), not by their mean (Extra-P)
  std::vector<Rare> rare;  // of profiles: seen in fewer than five configurations, and no series
  std::vector<ProfiledTime> profiled;  // of profiles: of each point; else empty
};

}  // namespace planner::scaling
