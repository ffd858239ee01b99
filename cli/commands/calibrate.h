// `trainplan calibrate`: its options, as its flags give them, and its kinds of data that are whole runs.
#pragma once

#include "cli/commands/common.h"
#include "planner/studies/fit_steps/problem.h"
#include "planner/studies/runs/run.h"

namespace cli {

struct CalibrateFlags {
  CommonFlags common;
  ScenarioFlags scenario;
  std::string gpu, cluster, precision;  // the measured hardware and precision
  std::string kernel, model;            // attention kernel; model to fit or score
  std::string score;                    // catalogue profile to score instead of fitting
  std::string kit;                      // folder for the measurement scripts
  std::string base;                     // rows of the base iteration (model baseline)
  std::string within, where;            // rows whose errors count; rows at all
  std::vector<std::string> by;          // steps: columns that make the groups
  std::string write;                    // steps, errors: catalogue folder for the fitted values
  std::string priors;                   // errors: catalogue folder as it was before any fit to steps
  std::vector<std::string> fit;         // steps: parameters to fit; empty: those that the rows determine
  bool skip_broken = false;             // of a trace: leave out what is broken
};

/// The runs of all tables, outliers left out. Nothing after a diagnosed mistake.
std::vector<planner::Run> read_all_runs(const CalibrateFlags& options, Streams& streams, Session& session,
                                        std::vector<std::string>& warnings);

/// The runs that are planned and measured; warnings say why the others are not. Their plans use the operators alone,
/// without the corrections of measured runs (software.errors).
std::vector<planner::MeasuredRun> measured_runs(std::vector<planner::Run> runs, const CalibrateFlags& options,
                                                Session& session, std::vector<std::string>& warnings);

/// `calibrate steps RUNS.csv`: the few numbers of profiles, calibrations and clusters that measured training steps
/// determine.
int run_calibrate_steps(const CalibrateFlags& options, Streams& streams);

/// `calibrate errors RUNS.csv`: how far measured runs are from their plans, by families that were left out.
int run_calibrate_errors(const CalibrateFlags& options, Streams& streams);

}  // namespace cli
