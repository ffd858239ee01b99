#include "planner/trace/served_clocks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace planner::trace {
namespace {

constexpr size_t kMostRounds = 2048;                  // that are looked at, one as far from the next as all
constexpr double kFirstStep = 16e6, kLastStep = 500;  // ns, halved in between

constexpr int kMostTimes = 64;  // that steps of one size are tried

/// A worker's part of a round, by its own clock.
struct Pull {
  size_t host = 0, family = 0;
  double pushes = 0, pushed = 0, begin = 0, end = 0;  // ns since some time near all
};
using Round = std::vector<Pull>;

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

/// What is to be small, of clocks by host.
class Objective {
 public:
  Objective(std::vector<Round> rounds, size_t families) : rounds_(std::move(rounds)), sums_(families) {}

  // What breaks a constraint counts by itself: nothing that the variance gains makes up for it.
  double of(const std::vector<double>& offsets) {
    std::ranges::fill(sums_, Sum{});
    double broken = 0;
    for (const Round& round : rounds_) {
      double begun = std::numeric_limits<double>::lowest(), pushed = begun;
      for (const Pull& each : round) {
        begun = std::max(begun, each.pushes + offsets[each.host]);
        pushed = std::max(pushed, each.pushed + offsets[each.host]);
      }
      for (const Pull& each : round) {
        const double end = each.end + offsets[each.host];
        broken += std::max(0.0, begun - end);
        sums_[each.family].add(end - std::max(each.begin + offsets[each.host], pushed));
      }
    }
    double squares = 0;
    for (const Sum& sum : sums_) squares += sum.squares();
    return squares + 1e9 * broken;
  }

 private:
  struct Sum {
    double count = 0, sum = 0, of_squares = 0;
    void add(double x) { count += 1, sum += x, of_squares += x * x; }
    double squares() const { return count > 0 ? of_squares - sum * sum / count : 0; }
  };
  std::vector<Round> rounds_;
  std::vector<Sum> sums_;
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

}  // namespace

std::vector<double> refine_by_pulls(const Trace& trace, const Matched& matched, const std::vector<size_t>& hosts,
                                    const std::vector<bool>& keeps, std::vector<double> offsets) {
  size_t families = 0;
  std::vector<Round> rounds = rounds_of(trace, matched, hosts, families);
  Objective objective(std::move(rounds), families);
  descend(objective, keeps, offsets);
  return offsets;
}

}  // namespace planner::trace
