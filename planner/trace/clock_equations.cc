#include "planner/trace/clock_equations.h"

#include <array>
#include <cmath>
#include <utility>

namespace planner::trace {
namespace {

constexpr double kTells = 0.9;  // of the squares that offsets leave

using Matrix = std::vector<std::vector<double>>;

/// Normal equations: a row for each host's offset and, behind these, for each one's drift.
struct System {
  Matrix left;
  std::vector<double> right;
  explicit System(size_t rows) : left(rows, std::vector<double>(rows)), right(rows) {}

  // Each end counts by its distance from the mean of its collective.
  void add(const Ends& ends, size_t hosts, bool drifts) {
    const double count = static_cast<double>(ends.size());
    double mean = 0;
    for (const ClockEnd& end : ends) mean += end.at / count;
    const size_t unknowns = drifts ? 2 : 1;
    for (const ClockEnd& end : ends)
      for (size_t u = 0; u < unknowns; ++u) {
        const std::array<double, 2> weights{1, end.x};
        std::vector<double>& row = left[end.host + u * hosts];
        for (size_t v = 0; v < unknowns; ++v) row[end.host + v * hosts] += weights[u] * weights[v];
        for (const ClockEnd& other : ends)
          for (size_t v = 0; v < unknowns; ++v) row[other.host + v * hosts] -= weights[u] * (v ? other.x : 1) / count;
        right[end.host + u * hosts] += weights[u] * (mean - end.at);
      }
  }
  void keep(size_t row) {
    left[row].assign(left.size(), 0);
    left[row][row] = 1;
    right[row] = 0;
  }
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

}  // namespace

HostClocks solve_clocks(const std::vector<Ends>& all, const std::vector<bool>& keeps, bool drifts) {
  const size_t hosts = keeps.size();
  System system(drifts ? 2 * hosts : hosts);
  for (const Ends& ends : all) system.add(ends, hosts, drifts);
  for (size_t row = 0; row < system.right.size(); ++row)
    if (keeps[row % hosts]) system.keep(row);
  std::vector<double> solved = solve(std::move(system));
  solved.resize(2 * hosts);
  const auto middle = solved.begin() + static_cast<std::ptrdiff_t>(hosts);
  return {.offsets = {solved.begin(), middle}, .drifts = {middle, solved.end()}};
}

double squares_of(const std::vector<Ends>& all, const HostClocks& clocks) {
  double sum = 0;
  for (const Ends& ends : all) {
    double mean = 0;
    for (const ClockEnd& end : ends) mean += clocks.moved(end) / static_cast<double>(ends.size());
    for (const ClockEnd& end : ends) sum += (clocks.moved(end) - mean) * (clocks.moved(end) - mean);
  }
  return sum;
}

bool drifts_tell(const std::vector<Ends>& all, const std::vector<bool>& keeps) {
  std::array<std::vector<Ends>, 2> halves;
  for (size_t k = 0; k < all.size(); ++k) halves[k % 2].push_back(all[k]);
  double by_offsets = 0, by_drifts = 0;
  for (size_t half = 0; half < 2; ++half) {
    by_offsets += squares_of(halves[1 - half], solve_clocks(halves[half], keeps, false));
    by_drifts += squares_of(halves[1 - half], solve_clocks(halves[half], keeps, true));
  }
  return by_drifts < kTells * by_offsets;
}

}  // namespace planner::trace
