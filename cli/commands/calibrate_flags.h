// What `trainplan calibrate` can be asked, as its flags say it.
#pragma once

#include "cli/commands/common.h"

namespace cli {

struct CalibrateFlags {
  CommonFlags common;
  ScenarioFlags scenario;
  std::string gpu, cluster, precision;  // what was measured
  std::string kernel, model;            // attention kernel; model to fit or score
  std::string score;                    // catalogue profile to score instead of fitting
  std::string kit;                      // folder for the measurement scripts
  std::string base;                     // rows of the base iteration (model baseline)
  std::string within, where;            // rows whose errors count; rows at all
  std::vector<std::string> by;          // steps: columns that make the groups
  std::string write;                    // steps, errors: catalogue folder for what was fitted
  std::string priors;                   // errors: catalogue folder as it was before any fit to steps
  std::vector<std::string> fit;         // steps: parameters to fit; empty: those that the rows determine
};

}  // namespace cli
