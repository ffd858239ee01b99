#include "planner/studies/fit_steps/weights.h"

#include <cmath>
#include <map>

namespace planner {

double huber(double z) {
  const double size = std::fabs(z);
  return size <= kBend ? z : std::copysign(std::sqrt(kBend * (2 * size - kBend)), z);
}

double huber_slope(double z) {
  const double size = std::fabs(z);
  return size <= kBend ? 1 : kBend / std::sqrt(kBend * (2 * size - kBend));
}

std::vector<RowWeight> row_weights(const std::vector<MeasuredRun>& rows) {
  std::map<std::string, RowWeight> counts;
  auto timed = [](const MeasuredRun& run) { return run.measured.seconds.has_value(); };
  auto weighed = [](const MeasuredRun& run) { return run.measured.memory_kind != MemoryKind::none; };
  for (const MeasuredRun& run : rows) {
    counts[run.group].time += timed(run);
    counts[run.group].memory += weighed(run);
  }
  std::vector<RowWeight> out;
  for (const MeasuredRun& run : rows) {
    const RowWeight& n = counts[run.group];
    out.push_back({timed(run) ? std::pow(n.time, -0.25) : 0, weighed(run) ? std::pow(n.memory, -0.25) : 0});
  }
  return out;
}

}  // namespace planner
