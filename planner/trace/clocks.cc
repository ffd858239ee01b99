#include "planner/trace/clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace planner::trace {
namespace {

using Matrix = std::vector<std::vector<double>>;

/// Offsets in nanoseconds since a time near all ends, for which a double has room.
struct System {
  Matrix left;
  std::vector<double> right;
  explicit System(size_t hosts) : left(hosts, std::vector<double>(hosts)), right(hosts) {}

  // Each end counts by its distance from the mean of its collective.
  void add(const std::vector<size_t>& hosts, const std::vector<double>& ends) {
    const double count = static_cast<double>(ends.size());
    const double mean = std::accumulate(ends.begin(), ends.end(), 0.0) / count;
    for (size_t i = 0; i < ends.size(); ++i) {
      left[hosts[i]][hosts[i]] += 1;
      for (const size_t other : hosts) left[hosts[i]][other] -= 1 / count;
      right[hosts[i]] += mean - ends[i];
    }
  }
};

/// Hosts that collectives connect have the number of the first of them.
class Connected {
 public:
  explicit Connected(size_t hosts) : first_(hosts) { std::iota(first_.begin(), first_.end(), size_t{0}); }
  size_t of(size_t host) const { return first_[host] == host ? host : of(first_[host]); }
  void join(size_t a, size_t b) {
    const size_t first = std::min(of(a), of(b));
    first_[of(a)] = first_[of(b)] = first;
  }

 private:
  std::vector<size_t> first_;
};

// Gauss's elimination, with the largest pivot; rows whose pivot vanishes have offset 0.
std::vector<double> solve(System system) {
  Matrix& a = system.left;
  std::vector<double>& b = system.right;
  const size_t n = b.size();
  for (size_t column = 0; column < n; ++column) {
    size_t pivot = column;
    for (size_t row = column + 1; row < n; ++row)
      if (std::abs(a[row][column]) > std::abs(a[pivot][column])) pivot = row;
    std::swap(a[column], a[pivot]);
    std::swap(b[column], b[pivot]);
    if (std::abs(a[column][column]) < 1e-9) continue;
    for (size_t row = column + 1; row < n; ++row) {
      const double factor = a[row][column] / a[column][column];
      if (factor == 0) continue;
      for (size_t k = column; k < n; ++k) a[row][k] -= factor * a[column][k];
      b[row] -= factor * b[column];
    }
  }
  std::vector<double> x(n);
  for (size_t row = n; row-- > 0;) {
    double sum = b[row];
    for (size_t k = row + 1; k < n; ++k) sum -= a[row][k] * x[k];
    x[row] = std::abs(a[row][row]) < 1e-9 ? 0 : sum / a[row][row];
  }
  return x;
}

const Event& event_of(const Trace& trace, const Collective::Part& part) { return trace[part.rank].events[part.event]; }

// The largest distance of an end from the mean of the ends.
double distance_of_ends(const Trace& trace, const Collective& collective, const std::vector<int64_t>& offsets) {
  const int64_t base = event_of(trace, collective.parts.front()).end_ns();
  std::vector<double> ends;
  for (const Collective::Part& part : collective.parts)
    ends.push_back(static_cast<double>(event_of(trace, part).end_ns() - base + offsets[part.rank]));
  const double mean = std::accumulate(ends.begin(), ends.end(), 0.0) / static_cast<double>(ends.size());
  double worst = 0;
  for (const double end : ends) worst = std::max(worst, std::abs(end - mean));
  return worst;
}

// By how much a PULL ends before the last PUSH does. How far ends are apart says nothing: a server answers one worker
// after the other.
double distance_of_pulls(const Trace& trace, const Collective& collective, const std::vector<int64_t>& offsets) {
  int64_t last = std::numeric_limits<int64_t>::min(), first = std::numeric_limits<int64_t>::max();
  for (const Collective::Part& part : collective.parts) {
    last = std::max(last, arrival_ns(trace, part) + offsets[part.rank]);
    first = std::min(first, event_of(trace, part).end_ns() + offsets[part.rank]);
  }
  return last - first > kAnswerNs ? static_cast<double>(last - first) : 0;
}

// The farthest that an end is from where it can be, with clocks put forward.
int64_t worst_distance(const Trace& trace, const Matched& matched, const std::vector<int64_t>& offsets) {
  double worst = 0;
  for (const Collective& collective : matched.collectives) {
    const bool pulls = collective.kind == CollectiveKind::push_pull;
    worst = std::max(worst, (pulls ? distance_of_pulls : distance_of_ends)(trace, collective, offsets));
  }
  return std::llround(worst);
}

}  // namespace

Clocks align_clocks(const Trace& trace, const Matched& matched, const std::vector<size_t>& hosts) {
  const size_t count = hosts.empty() ? 0 : *std::ranges::max_element(hosts) + 1;
  System system(count);
  Connected connected(count);
  for (const Collective& collective : matched.collectives) {
    std::vector<size_t> of_parts;
    std::vector<double> ends;
    const int64_t base = event_of(trace, collective.parts.front()).end_ns();
    for (const Collective::Part& part : collective.parts) {
      of_parts.push_back(hosts[part.rank]);
      ends.push_back(static_cast<double>(event_of(trace, part).end_ns() - base));
      connected.join(of_parts.front(), of_parts.back());
    }
    system.add(of_parts, ends);
  }
  for (size_t host = 0; host < count; ++host) {  // the first of those that are connected keeps its clock
    if (connected.of(host) != host) continue;
    std::ranges::fill(system.left[host], 0);
    system.left[host][host] = 1;
    system.right[host] = 0;
  }
  const std::vector<double> solved = solve(std::move(system));
  Clocks clocks;
  for (size_t rank = 0; rank < trace.size(); ++rank) {
    clocks.offsets_ns.push_back(std::llround(solved[hosts[rank]]));
    if (connected.of(hosts[rank]) != connected.of(hosts[0]))
      clocks.notes.push_back(fmt::format("no collective connects rank {} with rank {}: its clock is taken as it stands",
                                         *trace[rank].rank, *trace[0].rank));
  }
  clocks.before_ns = worst_distance(trace, matched, std::vector<int64_t>(trace.size()));
  clocks.after_ns = worst_distance(trace, matched, clocks.offsets_ns);
  return clocks;
}

void shift(Trace& trace, const Clocks& clocks) {
  for (size_t rank = 0; rank < trace.size(); ++rank) {
    for (Event& event : trace[rank].events) event.start_ns += clocks.offsets_ns[rank];
    for (Allocation& each : trace[rank].allocations) each.at_ns += clocks.offsets_ns[rank];
  }
}

Clocks put_in_step(Trace& trace, const std::vector<size_t>& hosts) {
  Clocks clocks = align_clocks(trace, match_collectives(trace), hosts);
  if (clocks.before_ns > kInStepNs) shift(trace, clocks);
  else clocks.offsets_ns.assign(trace.size(), 0);
  return clocks;
}

}  // namespace planner::trace
