// Clocks by the ends of collectives: least squares in the offsets of hosts and, if requested, in their drifts.
#pragma once

#include <cstddef>
#include <vector>

namespace planner::trace {

/// An end of a collective, as a host's clock shows it: nanoseconds since some time near all ends.
struct ClockEnd {
  size_t host = 0;
  double at = 0;
  double x = 0;  // from 0 to 1 over the trace
};
using Ends = std::vector<ClockEnd>;  // of one collective

/// By host: the correction of its clock at x = 0, and the further correction at x = 1.
struct HostClocks {
  std::vector<double> offsets, drifts;
  double moved(const ClockEnd& end) const { return end.at + offsets[end.host] + drifts[end.host] * end.x; }
};

/// Returns the clocks that bring the ends of each collective closest together. `keeps`: by host, whether its clock is
/// as it is.
HostClocks solve_clocks(const std::vector<Ends>& all, const std::vector<bool>& keeps, bool drifts);

/// Returns the sum of the squares of the distances of ends from the mean of their collective.
double squares_of(const std::vector<Ends>& all, const HostClocks& clocks);

/// Returns whether drifts that are found from every other collective bring the ends of the others closer together than
/// offsets do that are found as well.
bool drifts_tell(const std::vector<Ends>& all, const std::vector<bool>& keeps);

}  // namespace planner::trace
