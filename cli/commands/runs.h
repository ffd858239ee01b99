// Tables of measured runs, as `validate` and `calibrate steps` read them.
#pragma once

#include <vector>

#include "cli/input/session.h"
#include "planner/studies/runs/run.h"

namespace cli {

struct SelectedRuns {
  std::vector<planner::Run> runs;
  int64_t outliers = 0;  // left out
};

enum class Outliers { kept, left_out };

/// The rows of the table for which `where` (--where) holds. Outliers left out: those whose column `outlier` says why,
/// unless
/// --where speaks of that column itself. At most 1 MiB. Nothing after a diagnosed mistake.
SelectedRuns read_selected_runs(const std::string& path, const std::string& where, Outliers outliers, Streams& streams,
                                Session& session);

}  // namespace cli
