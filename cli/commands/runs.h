// Tables of measured runs, as `validate` and `calibrate steps` read them.
#pragma once

#include <vector>

#include "cli/args/flag.h"
#include "cli/input/session.h"
#include "planner/studies/runs/run.h"

namespace cli {

struct SelectedRuns {
  std::vector<planner::Run> runs;
  int64_t outliers = 0;  // left out
};

enum class Outliers { kept, left_out };

/// The selected rows of a table, and their groups.
struct RunSelection {
  const std::string& where;            // --where; empty: all
  const std::vector<std::string>& by;  // --by: a group has equal values in these; empty: the column `group`
  Outliers outliers = Outliers::kept;
};

/// Reads a table of at most 1 MiB. A row may name traces in place of its time. Outliers are the rows with a text in the
/// column `outlier`; they are kept where --where names that column. Empty after a diagnosed mistake.
SelectedRuns read_selected_runs(const std::string& path, const RunSelection& selection, Streams& streams,
                                Session& session);

/// Whatever reads runs has this flag.
template <auto member> constexpr auto by_flag() {
  return flag<member>(
      {"--by", "A,B", "groups are rows alike in these columns, not those of the column `group`", Takes::list});
}

}  // namespace cli
