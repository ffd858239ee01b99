#include "planner/search/departures.h"

#include <algorithm>
#include <cmath>

namespace planner {
namespace {

constexpr double kUsualShare = 0.65;  // of the memory

double doublings(int64_t count, int64_t of) {
  return std::max(0.0, std::log2(static_cast<double>(count) / static_cast<double>(of)));
}

double memory_beyond_usual(const Results& r) {
  return std::max(0.0, r.peak_bytes / (r.peak_bytes + r.headroom_bytes) - kUsualShare);
}

}  // namespace

Departures departures_of(const Scenario& s, const Results& r) {
  return {doublings(s.parallelism.cp, 1), doublings(expert_set_ranks(s.parallelism), s.cluster.gpus_per_node),
          memory_beyond_usual(r)};
}

Departures least_departures(const Results& r) { return {0, 0, memory_beyond_usual(r)}; }

}  // namespace planner
