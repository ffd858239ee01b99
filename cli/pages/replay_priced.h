// What the operator models say of a trace, as tables and lines of the page of `trainplan replay`.
#pragma once

#include <string>
#include <vector>

#include "cli/report/report.h"
#include "planner/replay/priced.h"

namespace cli {

/// Adds the columns of the predictions to the table of collectives, which has a row for each.
void add_predictions(const planner::replay::Priced& priced, const planner::trace::Matched& matched, Table& table);

/// Device time by kind of work and by what it rests on, on the other machine; no rows: there is none.
Table scaled_rows(const planner::replay::Priced& priced);

/// How near the predictions came, and what could not be predicted, with the reason; none: there are no collectives.
/// `unknown`: why the machine of the traces is not known.
std::vector<std::string> prediction_lines(const planner::replay::Priced& priced, const planner::trace::Matched& matched,
                                          const std::string& unknown);

}  // namespace cli
