// `trainplan seqpoint`: from a log to SeqPoints, to their projections for other machines.
//
//     Log -> iterations' lengths -> Epoch -> Selection, alternatives -> Machine for each step of the road map
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/resolve/read.h"
#include "planner/seqpoint/alternatives.h"
#include "planner/seqpoint/batches.h"
#include "planner/seqpoint/log.h"
#include "planner/studies/seqpoints/machine.h"

namespace planner::seqpoint {

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
