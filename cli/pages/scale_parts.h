// Parts of the report of scaling models: models as JSON has them, and speed-up and efficiency fitted to the points'
// own.
#pragma once

#include <string>
#include <vector>

#include "cli/report/report.h"
#include "planner/scaling/ratio_models.h"

namespace cli {

/// "the run", or the call path, and the metric.
std::string subject_of(const planner::scaling::Model& model);
/// Each term's coefficient, and by parameter the exponents of the parameter and of its log2.
Data pmnf_terms(const planner::scaling::Pmnf& model, const std::vector<std::string>& parameters);
/// Both parts of a segmented model and where the law changes; null: it has one part.
Data segments_of(const planner::scaling::Model& model, const std::vector<std::string>& parameters);
/// Points that were not fitted: the measured values there, and those of the model.
Data evaluated_of(const planner::scaling::Model& model);
Data numbers_of(const std::vector<double>& values);

/// `time`: the basis of the ratios.
Data ratios_document(const planner::scaling::Ratios& ratios, const std::string& parameter,
                     const planner::scaling::Model& time);
/// Adds the models, their values next to those of the model of the time, and the choice by the fitted efficiencies.
void add_ratios(const planner::scaling::Ratios& ratios, const std::string& parameter,
                const planner::scaling::Model& time, Report& report);

}  // namespace cli
