#include "planner/trace/clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "planner/trace/clock_equations.h"

namespace planner::trace {
namespace {

constexpr size_t kMostWork = 20'000'000;  // pairs of ends that are compared; of more collectives some are
constexpr size_t kFewestEnds = 8;         // fewest collectives for an estimate of drift
constexpr double kMostDrift = 1e-3;       // of a clock: quartz has a tenth of that

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

const Event& event_of(const Trace& trace, const Collective::Part& part) { return trace[part.rank].events[part.event]; }

// The largest distance of an end from the mean of the ends.
double distance_of_ends(const Trace& trace, const Collective& collective, const Clocks& clocks) {
  const int64_t base = event_of(trace, collective.parts.front()).end_ns();
  std::vector<double> ends;
  for (const Collective::Part& part : collective.parts)
    ends.push_back(static_cast<double>(clocks.moved(part.rank, event_of(trace, part).end_ns()) - base));
  const double mean = std::accumulate(ends.begin(), ends.end(), 0.0) / static_cast<double>(ends.size());
  double worst = 0;
  for (const double end : ends) worst = std::max(worst, std::abs(end - mean));
  return worst;
}

// By how much a PULL ends before the last PUSH does. How far ends are apart says nothing: a server answers one worker
// after the other.
double distance_of_pulls(const Trace& trace, const Collective& collective, const Clocks& clocks) {
  int64_t last = std::numeric_limits<int64_t>::min(), first = std::numeric_limits<int64_t>::max();
  for (const Collective::Part& part : collective.parts) {
    last = std::max(last, clocks.moved(part.rank, arrival_ns(trace, part)));
    first = std::min(first, clocks.moved(part.rank, event_of(trace, part).end_ns()));
  }
  return last - first > kAnswerNs ? static_cast<double>(last - first) : 0;
}

// The farthest that an end is from where it can be, with clocks put forward.
int64_t worst_distance(const Trace& trace, const Matched& matched, const Clocks& clocks) {
  double worst = 0;
  for (const Collective& collective : matched.collectives) {
    const bool pulls = collective.kind == CollectiveKind::push_pull;
    worst = std::max(worst, (pulls ? distance_of_pulls : distance_of_ends)(trace, collective, clocks));
  }
  return std::llround(worst);
}

// Unmoved clocks, and the interval in which collectives end.
Clocks unmoved(const Trace& trace, const Matched& matched) {
  Clocks clocks;
  clocks.offsets_ns.assign(trace.size(), 0);
  clocks.drifts_ns.assign(trace.size(), 0);
  for (const Collective& collective : matched.collectives)
    for (const Collective::Part& part : collective.parts) {
      const int64_t end = event_of(trace, part).end_ns();
      if (clocks.end_ns == 0 && clocks.begin_ns == 0) clocks.begin_ns = clocks.end_ns = end;
      clocks.begin_ns = std::min(clocks.begin_ns, end);
      clocks.end_ns = std::max(clocks.end_ns, end);
    }
  return clocks;
}

// Nanoseconds since the first end of each collective, for which a double has room.
std::vector<Ends> ends_of(const Trace& trace, const Matched& matched, const std::vector<size_t>& hosts,
                          const Clocks& clocks) {
  const double span = std::max(1.0, static_cast<double>(clocks.end_ns - clocks.begin_ns));
  size_t work = 0;
  for (const Collective& collective : matched.collectives) work += collective.parts.size() * collective.parts.size();
  const size_t every = 1 + work / kMostWork;
  std::vector<Ends> all;
  for (size_t c = 0; c < matched.collectives.size(); c += every) {
    const Collective& collective = matched.collectives[c];
    const int64_t base = event_of(trace, collective.parts.front()).end_ns();
    Ends& ends = all.emplace_back();
    for (const Collective::Part& part : collective.parts) {
      const int64_t end = event_of(trace, part).end_ns();
      ends.push_back({.host = hosts[part.rank],
                      .at = static_cast<double>(end - base),
                      .x = static_cast<double>(end - clocks.begin_ns) / span});
    }
  }
  return all;
}

// Whether clocks drift, and no faster than clocks do; those that are in step need not.
bool drifts(const std::vector<Ends>& ends, const std::vector<bool>& keeps, const Clocks& clocks) {
  if (clocks.before_ns <= kInStepNs || ends.size() < kFewestEnds || !drifts_tell(ends, keeps)) return false;
  const double most = kMostDrift * static_cast<double>(clocks.end_ns - clocks.begin_ns);
  const HostClocks found = solve_clocks(ends, keeps, true);
  return std::ranges::all_of(found.drifts, [&](double drift) { return std::abs(drift) <= most; });
}

Connected connected_of(const Matched& matched, const std::vector<size_t>& hosts, size_t count) {
  Connected connected(count);
  for (const Collective& collective : matched.collectives)
    for (const Collective::Part& part : collective.parts)
      connected.join(hosts[collective.parts.front().rank], hosts[part.rank]);
  return connected;
}

constexpr size_t kMostRounds = 2048;                  // that are looked at, one as far from the next as all
constexpr double kFirstStep = 16e6, kLastStep = 500;  // ns, halved in between

constexpr int kMostTimes = 64;  // that steps of one size are tried

/// A worker's part of a round, by its own clock.
struct ServedPull {
  size_t host = 0, family = 0;
  double pushes = 0, pushed = 0, begin = 0, end = 0;  // ns since some time near all
};
using Round = std::vector<ServedPull>;

std::vector<Round> rounds_of(const Trace& trace, const Matched& matched, const std::vector<size_t>& hosts,
                             size_t& families) {
  std::vector<Round> rounds;
  std::map<std::pair<size_t, std::string>, size_t> numbers;
  const size_t count = matched.collectives.size(), every = std::max<size_t>(1, count / kMostRounds);
  const int64_t base = count == 0 ? 0 : matched.collectives.front().end_ns;
  for (size_t c = 0; c < count; c += every) {
    Round& round = rounds.emplace_back();
    for (const Collective::Part& part : matched.collectives[c].parts) {
      const Event &pull = trace[part.rank].events[part.event], &push = trace[part.rank].events[part.push];
      const auto since = [&](int64_t at) { return static_cast<double>(at - base); };
      const auto [family, is_new] = numbers.try_emplace({part.rank, matched.collectives[c].group}, numbers.size());
      round.push_back({hosts[part.rank], family->second, since(push.start_ns), since(push.end_ns()),
                       since(pull.start_ns), since(pull.end_ns())});
    }
  }
  families = numbers.size();
  return rounds;
}

/// The objective to minimise, of clocks by host.
class Objective {
 public:
  Objective(std::vector<Round> rounds, size_t families) : rounds_(std::move(rounds)), sums_(families) {}

  // Violations of a constraint count separately: no gain of the variance outweighs them.
  double of(const std::vector<double>& offsets) {
    std::ranges::fill(sums_, PullSum{});
    double broken = 0;
    for (const Round& round : rounds_) {
      double begun = std::numeric_limits<double>::lowest(), pushed = begun;
      for (const ServedPull& each : round) {
        begun = std::max(begun, each.pushes + offsets[each.host]);
        pushed = std::max(pushed, each.pushed + offsets[each.host]);
      }
      for (const ServedPull& each : round) {
        const double end = each.end + offsets[each.host];
        broken += std::max(0.0, begun - end);
        sums_[each.family].add(end - std::max(each.begin + offsets[each.host], pushed));
      }
    }
    double squares = 0;
    for (const PullSum& sum : sums_) squares += sum.squares();
    return squares + 1e9 * broken;
  }

 private:
  struct PullSum {
    double count = 0, sum = 0, of_squares = 0;
    void add(double x) { count += 1, sum += x, of_squares += x * x; }
    double squares() const { return count > 0 ? of_squares - sum * sum / count : 0; }
  };
  std::vector<Round> rounds_;
  std::vector<PullSum> sums_;
};

// Steps of each host, forward and backward, as long as these gain; smaller ones where none does.
void descend(Objective& objective, const std::vector<bool>& keeps, std::vector<double>& offsets) {
  double best = objective.of(offsets);
  for (double step = kFirstStep; step >= kLastStep; step /= 2)
    for (int times = 0, gained = 1; gained && times < kMostTimes; ++times) {
      gained = 0;
      for (size_t host = 0; host < offsets.size(); ++host)
        for (const double by : {step, -step}) {
          if (keeps[host]) continue;
          offsets[host] += by;
          const double found = objective.of(offsets);
          if (found < best * (1 - 1e-6) - 1) best = found, gained = 1;
          else offsets[host] -= by;
        }
    }
}

/// Returns by host what its clock is to be put forward by, in nanoseconds, from `offsets` on. REQUIRES: all collectives
/// are PULLs with their PUSHs.
std::vector<double> refine_by_pulls(const Trace& trace, const Matched& matched, const std::vector<size_t>& hosts,
                                    const std::vector<bool>& keeps, std::vector<double> offsets) {
  size_t families = 0;
  std::vector<Round> rounds = rounds_of(trace, matched, hosts, families);
  Objective objective(std::move(rounds), families);
  descend(objective, keeps, offsets);
  return offsets;
}

}  // namespace

int64_t Clocks::moved(size_t rank, int64_t at_ns) const {
  const int64_t moved = at_ns + offsets_ns[rank];
  if (drifts_ns[rank] == 0) return moved;
  const double x = static_cast<double>(at_ns - begin_ns) / static_cast<double>(end_ns - begin_ns);
  return moved + std::llround(x * static_cast<double>(drifts_ns[rank]));
}

Clocks align_clocks(const Trace& trace, const Matched& matched, const std::vector<size_t>& hosts) {
  const size_t count = hosts.empty() ? 0 : *std::ranges::max_element(hosts) + 1;
  const Connected connected = connected_of(matched, hosts, count);
  std::vector<bool> keeps;  // the first of those that are connected keeps its clock
  for (size_t host = 0; host < count; ++host) keeps.push_back(connected.of(host) == host);
  Clocks clocks = unmoved(trace, matched);
  clocks.before_ns = worst_distance(trace, matched, clocks);
  const std::vector<Ends> ends = ends_of(trace, matched, hosts, clocks);
  const bool pulls = !matched.collectives.empty() &&
                     std::ranges::all_of(matched.collectives,
                                         [](const Collective& each) { return each.kind == CollectiveKind::push_pull; });
  HostClocks solved = solve_clocks(ends, keeps, !pulls && drifts(ends, keeps, clocks));
  if (pulls) solved.offsets = refine_by_pulls(trace, matched, hosts, keeps, std::move(solved.offsets));
  for (size_t rank = 0; rank < trace.size(); ++rank) {
    clocks.offsets_ns[rank] = std::llround(solved.offsets[hosts[rank]]);
    clocks.drifts_ns[rank] = std::llround(solved.drifts[hosts[rank]]);
    if (connected.of(hosts[rank]) != connected.of(hosts[0]))
      clocks.notes.push_back(fmt::format("no collective connects rank {} with rank {}: its clock is taken as it stands",
                                         *trace[rank].rank, *trace[0].rank));
  }
  clocks.after_ns = worst_distance(trace, matched, clocks);
  return clocks;
}

void shift(Trace& trace, const Clocks& clocks) {
  for (size_t rank = 0; rank < trace.size(); ++rank) {
    for (Event& event : trace[rank].events) {
      const int64_t end = clocks.moved(rank, event.end_ns());
      event.start_ns = clocks.moved(rank, event.start_ns);
      event.duration_ns = end - event.start_ns;
    }
    for (Allocation& each : trace[rank].allocations) each.at_ns = clocks.moved(rank, each.at_ns);
  }
}

Clocks put_in_step(Trace& trace, const std::vector<size_t>& hosts) {
  Clocks clocks = align_clocks(trace, match_collectives(trace), hosts);
  if (clocks.before_ns > kInStepNs) shift(trace, clocks);
  else clocks.offsets_ns.assign(trace.size(), 0), clocks.drifts_ns.assign(trace.size(), 0);
  return clocks;
}

}  // namespace planner::trace
