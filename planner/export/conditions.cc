#include "planner/export/conditions.h"

#include <algorithm>

#include "planner/workload/partition.h"

namespace planner::exporting {

bool has_schedule(const Scenario& s) { return has_pipeline(s) || schedule_name(s) != "1f1b"; }

bool is_even(const Scenario& s) {
  const std::vector<int64_t> parts = layers_per_part(s);
  return std::all_of(parts.begin(), parts.end(), [&](int64_t n) { return n == parts.front(); });
}

int64_t sequences(const Scenario& s) {
  return s.job.tokens ? (*s.job.tokens + s.job.sequence - 1) / s.job.sequence : 0;
}

}  // namespace planner::exporting
