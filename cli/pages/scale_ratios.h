// Speed-up and efficiency fitted to the points' own: part of the report of scaling models.
#pragma once

#include "cli/report/report.h"
#include "planner/scaling/ratio_models.h"

namespace cli {

/// `time`: what the ratios are of.
Data ratios_document(const planner::scaling::Ratios& ratios, const std::string& parameter,
                     const planner::scaling::Model& time);

/// Adds the models, their values beside what the model of the time gives, and the choice by the fitted efficiencies.
void add_ratios(const planner::scaling::Ratios& ratios, const std::string& parameter,
                const planner::scaling::Model& time, Report& report);

}  // namespace cli
