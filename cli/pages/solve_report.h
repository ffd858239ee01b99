// What --solve found, as a member of the search's JSON and the head of its page.
#pragma once

#include "cli/input/solve_path.h"
#include "cli/report/report.h"

namespace cli {

/// Adds the member `solve`, and puts its part of the page before the rest.
void add_solved(const SolvePath& path, const dsl::Expression& until, const planner::Solved& solved, Report& report);

}  // namespace cli
