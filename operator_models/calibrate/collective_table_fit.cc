// The table of one collective: at every power of two, alpha-beta's time times a factor. The factors' logarithms are
// linear least squares of the samples' (between two sizes as the model reads the table), drawn together by
//
//     bend^2 sum (r[k-1] - 2 r[k] + r[k+1])^2 + slope^2 sum (r[k] - r[k+1])^2
//
// so that a size without a sample takes what lies around it, and one beyond all samples takes alpha-beta's growth.
#include <algorithm>
#include <cmath>

#include "operator_models/calibrate/collective_fit.h"
#include "operator_models/calibrate/least_squares.h"
#include "operator_models/collective.h"

namespace operator_models {
namespace {

constexpr double kBend = 0.1, kSlope = 0.2;
constexpr int kMostSizes = 40;

/// A cell's alpha-beta seconds for a message over so many ranks.
double smooth_seconds(const Cell& cell, const Sample& like, double bytes, const Device& device) {
  if (cell.part == CollectivePart::send_recv)
    return send_recv({.bytes = {bytes}, .tier = static_cast<int64_t>(cell.tier)}, device, {}).seconds.value;
  Collective op = std::get<Collective>(like.op);
  op.bytes = {bytes};
  return collective_alpha_beta(op, device, {}).seconds.value;
}

/// Octaves that the samples of all groups span.
std::pair<int, int> octaves_of(const Cell& cell) {
  double least = 1e300, most = 0;
  for (const auto& [ranks, samples] : cell.groups)
    for (const Sample* s : samples) {
      least = std::min(least, bytes_of(s->op));
      most = std::max(most, bytes_of(s->op));
    }
  const int first = static_cast<int>(std::lround(std::log2(std::max(least, 1.0))));
  const int last = std::max(static_cast<int>(std::lround(std::log2(std::max(most, 2.0)))), first + 1);
  return {first, std::min(last, first + kMostSizes - 1)};
}

std::vector<double> row_of(size_t sizes, std::initializer_list<std::pair<size_t, double>> terms) {
  std::vector<double> row(sizes, 0);
  for (const auto& [at, x] : terms) row[at] += x;
  return row;
}

/// ln of each size's factor on the smooth time.
std::vector<double> factors(const Cell& cell, const std::vector<const Sample*>& samples, int first, size_t sizes,
                            const Device& device) {
  std::vector<std::vector<double>> a;
  std::vector<double> b;
  for (const Sample* s : samples) {
    const double bytes = bytes_of(s->op),
                 octave = std::clamp(std::log2(bytes) - first, 0.0, static_cast<double>(sizes - 1));
    const size_t below = std::min(static_cast<size_t>(octave), sizes - 2);
    const double above = std::exp2(octave - static_cast<double>(below)) - 1;
    a.push_back(row_of(sizes, {{below, 1 - above}, {below + 1, above}}));
    b.push_back(std::log(s->seconds / smooth_seconds(cell, *s, bytes, device)));
  }
  const auto pull = [&](std::initializer_list<std::pair<size_t, double>> terms) {
    a.push_back(row_of(sizes, terms));
    b.push_back(0);
  };
  for (size_t k = 0; k + 1 < sizes; ++k) pull({{k, kSlope}, {k + 1, -kSlope}});
  for (size_t k = 1; k + 1 < sizes; ++k) pull({{k - 1, kBend}, {k, -2 * kBend}, {k + 1, kBend}});
  return linear_least_squares(a, b);
}

/// The non-decreasing values nearest to `x` in least squares (pool adjacent violators): one slow run of a small message
/// does not lift all larger ones, as a running maximum would let it.
std::vector<double> ascending(const std::vector<double>& x) {
  struct Pool {
    double sum;
    size_t count;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Pool> pools;
  for (double value : x) {
    pools.push_back({value, 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().count += last.count;
    }
  }
  std::vector<double> out;
  for (const Pool& p : pools) out.insert(out.end(), p.count, p.mean());
  return out;
}

}  // namespace

void fit_table(const Cell& cell, Calibration& calibration, const Machine& machine) {
  CollectiveCalibration& row = own_row(calibration, cell, machine);
  const Device device = device_of(machine, calibration);
  const auto [first, last] = octaves_of(cell);
  const size_t sizes = static_cast<size_t>(last - first + 1);
  row.table_octave = first;
  row.measured_bandwidth = machine.network[cell.tier].bandwidth;
  std::vector<int64_t> ranks;
  std::vector<double> us;
  for (const auto& [n, samples] : cell.groups) {
    const std::vector<double> r = factors(cell, samples, first, sizes, device);
    ranks.push_back(n);
    std::vector<double> logs;
    for (size_t k = 0; k < sizes; ++k) {
      const double bytes = std::exp2(first + static_cast<int>(k));
      logs.push_back(std::log(1e6 * smooth_seconds(cell, *samples[0], bytes, device)) + r[k]);
    }
    for (double x : ascending(logs)) us.push_back(std::exp(x));
  }
  row.table_ranks = std::move(ranks);
  row.table_us = std::move(us);
}

}  // namespace operator_models
