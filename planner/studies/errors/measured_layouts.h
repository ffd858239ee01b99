// Jobs that were measured with several layouts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "planner/studies/errors/error_rows.h"

namespace planner {

/// Runs of one layout, their means.
struct MeasuredLayout {
  const Parallelism* layout = nullptr;                    // of one of the rows
  double runs = 0, ratio = 0, measured = 0, planned = 0;  // logarithms; ratio: measured / planned

  void add(const ErrorRow& row);
};
using Layouts = std::vector<MeasuredLayout>;

/// Returns the layouts of each job.
std::map<std::string, Layouts> layouts_of_jobs(const std::vector<ErrorRow>& rows);

}  // namespace planner
