// What the readers of scaling measurements make of a text or of files, as text.
#pragma once

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "planner/scaling/read/measurements.h"

namespace scaling_sample {

struct Files {
  std::vector<std::string> paths;
};

struct Reading {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  std::optional<planner::scaling::Experiment> experiment;

  Reading(const std::string& name, const std::string& text) {
    experiment = planner::scaling::read_measurements_text(name, text, sources, diagnostics);
  }
  explicit Reading(const Files& files) {
    experiment = planner::scaling::read_measurements(files.paths, sources, diagnostics);
  }

  /// Every diagnostic as a user sees it. `folder` is cut from the names of files.
  std::string said(const std::string& folder = "") const {
    std::string out;
    for (const dsl::Diagnostic& d : diagnostics.list) out += dsl::render(d);
    const std::string prefix = folder + "/";
    for (size_t at = out.find(prefix); !folder.empty() && at != std::string::npos; at = out.find(prefix))
      out.erase(at, prefix.size());
    return out;
  }
};

/// One line of the parameters, then one for each series: "main|time (4 1): 3 4, (8 1): 5".
inline std::string shown(const planner::scaling::Experiment& experiment) {
  std::ostringstream out;
  for (const std::string& name : experiment.parameters) out << name << ' ';
  out << "\n";
  for (const planner::scaling::MeasurementSeries& series : experiment.series) {
    out << series.callpath << "|" << series.metric;
    for (size_t i = 0; i < series.points.size(); ++i) {
      out << (i ? ", (" : " (");
      const auto& point = experiment.points[series.points[i]];
      for (size_t p = 0; p < point.size(); ++p) out << (p ? " " : "") << point[p];
      out << "):";
      for (const double value : series.values[i]) out << ' ' << value;
    }
    out << "\n";
  }
  return out.str();
}

inline std::string read(const std::string& name, const std::string& text) {
  const Reading reading(name, text);
  return reading.experiment ? shown(*reading.experiment) : reading.said();
}

/// The messages about a text that must be refused.
inline std::string mistakes(const std::string& name, const std::string& text) {
  const Reading reading(name, text);
  return reading.experiment ? "accepted\n" + reading.said() : reading.said();
}

}  // namespace scaling_sample
