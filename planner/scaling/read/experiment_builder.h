// Collects the output of the readers of all formats: one experiment of all files, with shared checks.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dsl/diagnostic.h"
#include "planner/scaling/experiment.h"

namespace planner::scaling {

/// A name and where it is written.
struct PlacedName {
  std::string text;
  dsl::Span place;
};

/// Returns a point as messages print it: "(4, 100)".
std::string shown(const std::vector<double>& point);

class ExperimentBuilder {
 public:
  explicit ExperimentBuilder(dsl::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// Sets the names of the coordinates. More than four are refused, one twice, and others than those of the files
  /// before.
  bool parameters(const std::vector<PlacedName>& names);
  const std::vector<std::string>& parameters() const { return experiment_.parameters; }

  /// Returns the index of a point, a new one if it was not there. Coordinates that are not one above zero for each
  /// parameter are refused.
  std::optional<size_t> point(const std::vector<double>& coordinates, dsl::Span place);

  /// Returns the index of a series. With `everywhere` it must be measured at each point of the experiment.
  size_t series(const std::string& callpath, const std::string& metric, dsl::Span place, bool everywhere = true);
  MeasurementSeries& at(size_t series) { return experiment_.series[series]; }
  /// Returns whether the series has a value at the point.
  bool has(size_t series, size_t point) const;

  /// Adds one more repetition. A negative value is refused; a series of zeros is warned of once.
  void measure(size_t series, size_t point, double value, dsl::Span place);

  void use_median() { experiment_.median = true; }
  /// Keeps the longest profiled time at a point.
  void profiled(size_t point, ProfiledTime time);
  void set_rare(std::vector<Rare> rare) { experiment_.rare = std::move(rare); }

  /// Returns the experiment; nullopt: there is nothing in it (diagnosed at `place`), or points are missing.
  std::optional<Experiment> finish(dsl::Span place);

 private:
  struct SeriesPlace {
    dsl::Span place;
    bool everywhere = true, has_zero = false;
    std::vector<size_t> slot;  // by point: one more than its index in Series::points, 0 where not measured
  };
  void check_points(size_t series);
  void warn_of_zeros();

  dsl::Diagnostics& diagnostics_;
  Experiment experiment_;
  std::map<std::vector<double>, size_t> points_;
  std::map<std::pair<std::string, std::string>, size_t> series_;
  std::vector<SeriesPlace> about_;
  size_t zeros_ = 0;  // series that hold a zero
  PlacedName zero_;   // the first of them, as a message
};

}  // namespace planner::scaling
