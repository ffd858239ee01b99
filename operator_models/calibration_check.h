// Mistakes in a calibration that no single field shows: lists of a table that do not belong together.
#pragma once

#include <string>

#include "dsl/diagnostic.h"
#include "dsl/record.h"
#include "hw_profiles/types.h"
#include "operator_models/calibration.h"

namespace operator_models {

/// Diagnoses, each at its list: a table without a number for every node, nodes that do not ascend, times that fall as
/// the message grows, and a row of a known tier whose collective is unknown. Otherwise the models would ignore such a
/// table.
/// `prefix`: the calibration's path in `record`, with the dot; `network`: of its cluster.
void check_calibration(const dsl::Record& record, const std::string& prefix, const Calibration& calibration,
                       const std::vector<hw_profiles::Tier>& network, dsl::Diagnostics& diagnostics);

}  // namespace operator_models
