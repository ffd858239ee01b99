// The table of one collective: at every power of two, alpha-beta's time times a factor. The factors' logarithms are
// linear least squares of the samples' (between two sizes as the model reads the table), drawn together by
//
//     bend^2 sum (r[k-1] - 2 r[k] + r[k+1])^2 + slope^2 sum (r[k] - r[k+1])^2
//
// so that one beyond all samples takes alpha-beta's growth. A size between samples takes the line through the times
// on both sides, as the model reads between sizes. Samples that add integers count as those of floating point would.
#include <algorithm>
#include <cmath>

#include "operator_models/calibrate/collective_cells.h"
#include "operator_models/calibrate/least_squares.h"
#include "operator_models/collective.h"

namespace operator_models {
namespace {

constexpr double kBend = 0.05, kSlope = 0.1;  // small: they decide where no sample does
constexpr double kLeastSaid = 0.25;           // share of a sample that a size must have to be known by it
constexpr int kMostSizes = 40;

/// Alpha-beta seconds of a message over the ranks of a sample.
double smooth_seconds(const Sample& like, double bytes, const Device& device) {
  if (const auto* message = std::get_if<SendRecv>(&like.op)) {
    SendRecv op = *message;
    op.bytes = {bytes};
    return send_recv(op, device, {}).seconds.value;
  }
  Collective op = std::get<Collective>(like.op);
  op.bytes = {bytes};
  return collective_alpha_beta(op, device, {}).seconds.value;
}

/// Octaves that the samples of all groups span.
std::pair<int, int> octaves_of(const CollectiveCell& cell) {
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

/// Where a message stands among the sizes of a table: of size `below` one less `above`, of the next `above`.
struct SizePosition {
  size_t below;
  double above;
};
SizePosition place_of(double bytes, int first, size_t sizes) {
  const double octave = std::clamp(std::log2(bytes) - first, 0.0, real(sizes - 1));
  const size_t below = std::min(static_cast<size_t>(octave), sizes - 2);
  return {below, std::exp2(octave - real(below)) - 1};
}

/// ln of each size's factor on the smooth time.
std::vector<double> factors(const std::vector<const Sample*>& samples, int first, size_t sizes, const Device& device) {
  std::vector<std::vector<double>> a;
  std::vector<double> b;
  for (const Sample* s : samples) {
    const double bytes = bytes_of(s->op);
    const auto [below, above] = place_of(bytes, first, sizes);
    a.push_back(row_of(sizes, {{below, 1 - above}, {below + 1, above}}));
    b.push_back(std::log(s->seconds / smooth_seconds(*s, bytes, device)));
  }
  const auto pull = [&](std::initializer_list<std::pair<size_t, double>> terms) {
    a.push_back(row_of(sizes, terms));
    b.push_back(0);
  };
  for (size_t k = 0; k + 1 < sizes; ++k) pull({{k, kSlope}, {k + 1, -kSlope}});
  for (size_t k = 1; k + 1 < sizes; ++k) pull({{k - 1, kBend}, {k, -2 * kBend}, {k + 1, kBend}});
  return linear_least_squares(a, b);
}

/// Sizes that no sample says anything of, between others: their times on the line in bytes through those others.
void bridge(std::vector<double>& us, const std::vector<const Sample*>& samples, int first) {
  std::vector<char> held(us.size(), 0);
  for (const Sample* s : samples) {
    const auto [below, above] = place_of(bytes_of(s->op), first, us.size());
    if (above < 1 - kLeastSaid) held[below] = 1;
    if (above > kLeastSaid) held[below + 1] = 1;
  }
  size_t last = us.size();
  for (size_t k = 0; k < us.size(); ++k) {
    if (!held[k]) continue;
    for (size_t gap = last + 1; last < k && gap < k; ++gap)
      us[gap] = us[last] + (us[k] - us[last]) * (std::exp2(gap - last) - 1) / (std::exp2(k - last) - 1);
    last = k;
  }
}

}  // namespace

void fit_table(const CollectiveCell& cell, Calibration& calibration, const Machine& machine) {
  CollectiveCalibration& row = own_row(calibration, cell, machine);
  const Device device = device_of(machine, calibration);
  Calibration without = calibration;
  own_row(without, cell, machine).integers = 1;
  const Device floats = device_of(machine, without);
  const auto [first, last] = octaves_of(cell);
  const size_t sizes = static_cast<size_t>(last - first + 1);
  row.table_octave = first;
  row.measured_bandwidth = machine.network[cell.tier].bandwidth;
  row.measured_latency = machine.network[cell.tier].latency;
  std::vector<int64_t> ranks;
  std::vector<double> us;
  for (const auto& [n, samples] : cell.groups) {
    const std::vector<double> r = factors(samples, first, sizes, device);
    ranks.push_back(n);
    std::vector<double> mine;
    for (size_t k = 0; k < sizes; ++k) {
      const double bytes = std::exp2(first + static_cast<int>(k));
      mine.push_back(1e6 * smooth_seconds(*samples[0], bytes, floats) * std::exp(r[k]));
    }
    bridge(mine, samples, first);
    for (double& x : mine) x = std::log(x);
    // One slow run of a small message does not lift all larger ones, as a running maximum would let it.
    never_falling(mine, std::vector<double>(sizes, 1));
    for (double x : mine) us.push_back(std::exp(x));
  }
  row.table_ranks = std::move(ranks);
  row.table_us = std::move(us);
}

}  // namespace operator_models
