// When the steps of a profile were: windows that its events are sorted into.
//
// Two ways of marking them with NVTX are known. Marks in pairs, as Extra-Deep's callbacks write them:
//
//     step:0,type:started ... step:0,type:ended        category "training step" or "testing step"
//     epoch:0,type:started ... epoch:0,type:ended      category "epoch"
//
// and ranges of these categories, with an underscore or a blank ("training_step", "epoch").
//
// The content of a profile's name: app.p4.n100.r1.mpi0.sqlite is repetition 1 of the run with p = 4 and n = 100,
// recorded by its rank 0. Without `r` it is repetition 1, without `mpi` rank 0; a comma in a value is its decimal
// point.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dsl/diagnostic.h"
#include "planner/scaling/experiment.h"
#include "planner/trace/nsight_tables.h"

namespace planner::scaling {

struct ProfileName {
  std::string app;
  std::vector<std::string> parameters;
  std::vector<double> values;  // one for each parameter
  long repetition = 1, rank = 0;
};

/// Reads the name of the file that is the text of `source`; nullopt: diagnosed, with the place in the name.
std::optional<ProfileName> read_profile_name(const dsl::Source& source, dsl::Diagnostics& diagnostics);

using trace::Database;
using trace::Strings;

inline constexpr double kSecondsPerTick = 1e-9;

/// A window runs from the start of a step to the start of the next one: work that runs asynchronously between two steps
/// counts for the first of them. The last step of an epoch ends with the epoch, or with itself if no epoch is marked.
/// Times are in ns.
struct StepWindow {
  int64_t start, end;
  double length;  // of the step itself, without the work after it
  Phase phase = Phase::training;
};

struct StepWindows {
  std::vector<StepWindow> list;     // by start, apart from each other
  bool marked = false;              // false: the profile marks no step, and is one window
  bool warm_up = false;             // it has one epoch alone, which then is not dropped
  double marked_ns = 0;             // of all marked steps, those of the first epoch too
  size_t epochs = 0;                // that have steps
  std::vector<int64_t> categories;  // NVTX categories that mark steps and epochs: no regions of the program

  size_t count(Phase phase) const;
};

/// Returns the windows of a profile, without those of its first epoch.
StepWindows read_windows(Database& database, const Strings& strings);

}  // namespace planner::scaling
