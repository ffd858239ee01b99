// `trainplan scale DATA...`: scaling models of measured runs, or of given formulas, and what follows from them.
#pragma once

#include "cli/args/parse.h"
#include "cli/report/report.h"
#include "dsl/catalog.h"
#include "planner/scaling/advice.h"
#include "planner/scaling/analysis.h"
#include "planner/scaling/epoch_steps.h"
#include "planner/studies/against/against.h"

namespace cli {

int run_scale(const Options& options, Streams& streams);

/// What the flags ask for, their texts kept where diagnostics point into them.
planner::scaling::ModelOptions model_options(const Options& options);
/// nullopt: a mistake in a flag's expression, diagnosed.
std::optional<planner::scaling::AnalysisOptions> analysis_options(const Options& options,
                                                                  const std::vector<std::string>& parameters,
                                                                  dsl::Sources& sources, dsl::Diagnostics& diagnostics);
std::optional<planner::scaling::EpochOptions> epoch_options(const Options& options, dsl::Sources& sources,
                                                            dsl::Diagnostics& diagnostics);

/// A model of a time with what was concluded from it.
struct Analysed {
  size_t model;  // index
  planner::scaling::Analysis analysis;
  bool cost_given = false;  // by a model of the cost beside that of the time
};

/// What the report is of.
struct Scaled {
  planner::scaling::Models models;
  std::vector<Analysed> analysed;
  std::vector<planner::scaling::AgainstPoint> against;          // of the only model of a time; empty: not asked for
  std::optional<std::vector<planner::scaling::Advice>> advice;  // of all models; none: not asked for
};

/// trainplan.scale/1. `title`: the data.
Report scale_report(const std::string& title, const Scaled& scaled);

}  // namespace cli
