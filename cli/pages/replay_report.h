// A trace as a report: what each rank was busy with, whom it waited for, and its collectives; its tables and lines.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/report/report.h"
#include "planner/replay/measured.h"

namespace cli {

using planner::replay::Measured;

/// `all`: also each single collective.
Report replay_report(const Measured& measured, bool all = false);

inline double in_seconds(int64_t ns) { return static_cast<double>(ns) * 1e-9; }
/// A field in nanoseconds, as one of a row.
template <class Of> auto seconds_of(Of of) {
  return [of](const auto& row) { return in_seconds(std::invoke(of, row)); };
}

/// The number of the rank whose trace is at `at`.
inline int64_t rank_of(const Measured& m, size_t at) { return *m.trace[at].rank; }
/// The same of a row that has a rank.
inline auto rank_in(const Measured& m) {
  return [&m](const auto& row) { return rank_of(m, row.rank); };
}

// ---- steps

/// A row for each step of each rank: how long it took, and what with.
Table rank_rows(const Measured& m);
/// The same for the work launched in each step, within the time of that work alone.
Table launched_rows(const Measured& m);
/// Ranks, or steps, predicted from the others; no rows: not requested.
Table unseen_rows(const Measured& m);
/// A row for each stream of each rank's devices.
Table stream_rows(const Measured& m);
/// The parts of a step, as means over all steps of all ranks: they sum to it.
Table account_rows(const Measured& m);
/// Lines on steps whose window is the device's.
std::vector<std::string> window_lines(const Measured& m);

// ---- collectives

/// Adds the columns of the predictions to the table of collectives, which has a row for each.
void add_predictions(const planner::replay::Priced& priced, const planner::trace::Matched& matched, Table& table);
/// A row for each collective, with its prediction where there is one.
Table collective_rows(const Measured& m);
/// The same by name, the longest first.
Table collective_sum_rows(const Measured& m);
/// Number of these that a page shows, with a line on the rest.
inline constexpr size_t kShownCollectives = 10;
/// Whom each rank waited for, longest first.
Table wait_rows(const Measured& m);
/// The corrections of the clocks.
Table clock_rows(const Measured& m);
/// How far apart the clocks were. REQUIRES: some were put forward.
std::string clock_line(const Measured& m);

/// Device time on the other machine, by kind of work and by its basis; no rows: no other machine.
Table scaled_rows(const planner::replay::Priced& priced);
/// Accuracy of the predictions, and what could not be predicted, with the reason; empty: there are no collectives.
/// `unknown`: why the machine of the traces is not known.
std::vector<std::string> prediction_lines(const planner::replay::Priced& priced, const planner::trace::Matched& matched,
                                          const std::string& unknown);

// ---- the critical path, changes, other files

/// Piece by piece; times from its begin.
Table path_rows(const Measured& m);
/// Its largest parts.
Table path_shares(const Measured& m);

/// "step 607.0 ms -> 304.0 ms (-49.9 %)"; "": nothing was changed.
std::string change_line(const Measured& m);
/// The same as a map; null: nothing was changed.
Data change_data(const Measured& m);
/// The changes tried, the largest gain first; no rows: not requested.
Table advice_rows(const Measured& m);

/// What of each execution trace was found among the events of its rank; no rows: none was given.
Table joined_rows(const Measured& m);

// ---- against the planner's step

/// Each pair of operators, longest first: the rows of the report; empty: no scenario was given.
Table pair_rows(const std::optional<planner::replay::Against>& against);
/// Sums by kind of work, of all operators, of the time in which the device was busy, and of the step.
Table work_rows(const std::optional<planner::replay::Against>& against);
/// The page's part about both: the sums, and the longest pairs.
std::vector<Block> against_blocks(const std::optional<planner::replay::Against>& against);

}  // namespace cli
