#include "planner/studies/whatif/solve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace planner {
namespace {

constexpr double kNarrow = 1 + 1e-5;  // a bracket this narrow is not divided further
constexpr int kDigits = 5;
constexpr int kMostSplits = 100;
// Where a bracket is cut: in the middle, or where its middle has no layout, beside it.
constexpr std::array kCuts{0.5, 0.25, 0.75, 0.125, 0.375, 0.625, 0.875};
// Also tried, as multiples of the found value: does the field act in one direction only?
constexpr std::array kSamples{0.5, 0.8, 1.25, 2.0};

double rounded(double x, bool up) {
  if (x == 0) return 0;
  const double unit = std::pow(10, std::floor(std::log10(x)) + 1 - kDigits);
  return (up ? std::ceil(x / unit) : std::floor(x / unit)) * unit;
}

class Solver {
 public:
  Solver(const SolveRange& range, const Try& attempt) : range_(range), attempt_(attempt) {}

  Solved run() {
    Solved solved;
    solved.at_start = at(range_.start).holds;
    const bool found = bracket(solved.at_start);
    if (found) narrow();
    if (found) round_to_few_digits();
    sample(found ? inside_ : range_.start);
    for (const auto& [value, trial] : trials_) {
      if (found && value == inside_) solved.holds = solved.trials.size();
      if (found && value == outside_) solved.fails = solved.trials.size();
      if (trial.layouts && trial.holds != expected(trial, found, solved.at_start))
        solved.exceptions.push_back(solved.trials.size());
      solved.trials.push_back(trial);
    }
    return solved;
  }

 private:
  const Trial& at(double value) {
    const auto it = trials_.find(value);
    return it != trials_.end() ? it->second : trials_.emplace(value, attempt_(value)).first->second;
  }

  double within(double value) const {
    if (range_.whole) value = std::round(value);
    return std::clamp(value, range_.least, range_.most);
  }

  /// From zero a count goes to 1, 2, 4 ..., a share to a 64th of its limit and on.
  double grown(double factor) const {
    if (range_.start != 0) return within(range_.start * factor);
    if (factor < 1) return within(0);
    return within(range_.whole ? factor / 2 : range_.most * factor / 128);
  }

  bool bracket(bool now) {
    std::array<double, 2> last{range_.start, range_.start};
    for (double factor = 2; factor <= kSolveFactor; factor *= 2)
      for (size_t down : {0, 1}) {
        const double value = grown(down ? 1 / factor : factor);
        if (trials_.contains(value) || !at(value).layouts) continue;
        if (at(value).holds == now) {
          last[down] = value;
          continue;
        }
        inside_ = now ? last[down] : value;
        outside_ = now ? value : last[down];
        return true;
      }
    return false;
  }

  bool close() const {
    const double low = std::min(inside_, outside_), high = std::max(inside_, outside_);
    return range_.whole ? high - low <= 1 : high <= low * kNarrow;
  }

  /// A value between the two that has a layout, nearest to the middle.
  std::optional<double> between() {
    const double low = std::min(inside_, outside_), high = std::max(inside_, outside_);
    for (double cut : kCuts) {
      const double even = low + cut * (high - low);
      const double value = range_.whole || low <= 0 ? within(even) : low * std::pow(high / low, cut);
      if (value > low && value < high && at(value).layouts) return value;
    }
    return std::nullopt;
  }

  void narrow() {
    for (int i = 0; i < kMostSplits && !close(); ++i) {
      const std::optional<double> middle = between();
      if (!middle) return;
      (at(*middle).holds ? inside_ : outside_) = *middle;
    }
  }

  /// Rounds the value to few digits, on the side where the condition holds.
  void round_to_few_digits() {
    if (range_.whole) return;
    const double value = within(rounded(inside_, inside_ > outside_));
    if (at(value).holds) inside_ = value;
  }

  void sample(double value) {
    for (double factor : kSamples) at(within(value * factor));
  }

  /// Between the neighbours both are as they should be.
  bool expected(const Trial& trial, bool found, bool at_start) const {
    if (!found) return at_start;
    const auto [low, high] = std::minmax(inside_, outside_);
    if (trial.value > low && trial.value < high) return trial.holds;
    return (inside_ > outside_) == (trial.value >= high);
  }

  const SolveRange& range_;
  const Try& attempt_;
  std::map<double, Trial> trials_;
  double inside_ = 0, outside_ = 0;  // where it holds, and where not
};

}  // namespace

Solved solve(const SolveRange& range, const Try& attempt) { return Solver(range, attempt).run(); }

}  // namespace planner
