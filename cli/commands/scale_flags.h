// The flags of `scale`, and their conversion to options of its library.
#pragma once

#include "cli/commands/common.h"
#include "planner/scaling/analysis.h"
#include "planner/scaling/epoch_steps.h"
#include "planner/scaling/models.h"

namespace cli {

struct ScaleFlags {
  CommonFlags common;
  ScenarioFlags scenario;                            // of --against
  std::string modeler, measure, exponents, scaling;  // words; empty: chosen from the data
  std::string callpath, metric;                      // only these series
  std::optional<double> evaluate_from;               // points from here on are predicted, not fitted
  std::optional<double> reach;                       // largest value of the parameter to look at
  std::vector<double> at;                            // values of the parameter to look at; empty: the points
  std::optional<double> cores, gpus;                 // of a rank
  std::string price, budget, time_limit;             // expressions
  std::vector<std::string> epoch;                    // "KEY=EXPR", in order
  bool advise = false;                               // --plan
  bool ratios = false;                               // of all models of a time, however many
  std::string against, vary;                         // a scenario, and the field of it that is the parameter
};

/// Converts the flags.
planner::scaling::ModelOptions model_options(const ScaleFlags& options);
/// Converts the flags, and keeps their texts for diagnostics; nullopt: a mistake in a flag's expression, diagnosed.
std::optional<planner::scaling::AnalysisOptions> analysis_options(const ScaleFlags& options,
                                                                  const std::vector<std::string>& parameters,
                                                                  dsl::Sources& sources, dsl::Diagnostics& diagnostics);
std::optional<planner::scaling::EpochOptions> epoch_options(const ScaleFlags& options, dsl::Sources& sources,
                                                            dsl::Diagnostics& diagnostics);

}  // namespace cli
