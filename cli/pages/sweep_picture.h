// The picture of a sweep: each row that works as a point over two of its columns.
#pragma once

#include <string>
#include <vector>

#include "cli/report/report.h"
#include "cli/svg/front.h"

namespace cli {

/// Columns that may be an axis: those of numbers.
std::vector<std::string> sweep_axes();

/// Points of the front carry the number of their row. `title`: of the scenario. `axes`: two of `sweep_axes`; empty: the
/// step and the memory of the fullest GPU.
svg::Front sweep_picture(const std::string& title, const Table& rows, const std::vector<std::string>& axes);

}  // namespace cli
