// `trainplan seqpoint`: from a log to SeqPoints, to their projections for other machines.
//
//     Log -> iterations' lengths -> Epoch -> Selection, alternatives -> Machine for each step of the road map
//
// SeqPoints found on one machine, run on others (Pati 2024, sections 3.4.4 and 3.4.5).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/resolve/read.h"
#include "planner/resolve/roadmap_read.h"
#include "planner/seqpoint/alternatives.h"
#include "planner/seqpoint/batches.h"
#include "planner/seqpoint/log.h"
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

struct ProjectionOptions {
  Batching batching;  // of a data set; its batch is the scenario's
  SelectOptions select;
  std::string by = {};  // the statistic of the log that the SeqPoints are chosen by; "": run time
  int64_t warmup = AlternativeOptions{}.warmup;
  /// Ground truth that the selection does not see: a log with times at the run's lengths, or the scenario with other
  /// fields (another operator model).
  const Log* truth = nullptr;
  const dsl::Source* truth_file = nullptr;
  std::vector<dsl::Override> truth_sets = {};
};

/// A statistic of the log, and what each of the samples projects of it.
struct StatisticProjection {
  std::string name;
  std::vector<double> by_length;  // mean of the iterations of each length
  double actual = 0;              // of all iterations
  std::vector<double> projected;
};

struct Projection {
  std::string title;    // of the scenario: "gnmt on vega-fe-16gb"; "" without one
  std::string by = {};  // the statistic that the SeqPoints were chosen by; "": run time
  Epoch epoch;
  int64_t left_over = 0;  // sequences behind the last full batch
  Selection selection;
  std::vector<Sample> samples;           // the selection's, then the alternatives
  std::vector<Machine> machines;         // steps of the scenario's road map
  std::optional<Machine> truth = {};     // times that the choice did not see
  std::vector<double> truth_times = {};  // of one iteration, by length
  std::vector<StatisticProjection> statistics = {};
};

/// Projects a run. Times that were measured stay; on a machine of the road map they grow as the planned ones do.
/// Without measured times all are planned. nullopt: diagnosed, also a statistic to choose by that counted nothing. The
/// log was read from `file`. REQUIRES: a scenario, or measured times; a scenario for `truth_sets`; `by` one of the
/// log's statistics.
std::optional<Projection> project_run(const Log& log, const dsl::Source& file, const ScenarioText* scenario,
                                      const ProjectionOptions& options, dsl::Diagnostics& diagnostics);

}  // namespace planner::seqpoint
