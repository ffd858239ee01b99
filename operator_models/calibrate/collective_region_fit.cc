#include <algorithm>
#include <cmath>

#include "operator_models/calibrate/collective_cells.h"
#include "operator_models/calibrate/least_squares.h"
#include "operator_models/collective.h"

namespace operator_models {
namespace {

constexpr size_t kLeastSizes = kRegionNumbers;
constexpr double kGap = 0.25;  // octaves between the boundaries, at least

struct MessagePoint {
  double octave, us;
};

std::vector<MessagePoint> points_of(const std::vector<const Sample*>& samples) {
  std::vector<MessagePoint> points;
  for (const Sample* s : samples) points.push_back({std::log2(bytes_of(s->op)), 1e6 * s->seconds});
  std::sort(points.begin(), points.end(),
            [](const MessagePoint& a, const MessagePoint& b) { return a.octave < b.octave; });
  return points;
}

/// The parameters of least squares: the second boundary as its distance from the first.
CollectiveCurve region_at(const std::vector<double>& x) {
  return {x[0], x[1], x[1] + x[2], x[3], x[4], x[5], x[6], x[7]};
}

/// log10 of the bandwidth in bytes per us climbs from the first boundary's to the largest.
std::vector<Parameter> parameters_of(const std::vector<MessagePoint>& points) {
  double least = 1e300, rate = 0;
  for (const MessagePoint& p : points) {
    least = std::min(least, p.us);
    rate = std::max(rate, std::exp2(p.octave) / p.us);
  }
  const double low = points.front().octave, high = points.back().octave;
  double first = low;
  for (const MessagePoint& p : points)
    if (p.us < 1.2 * least) first = p.octave;
  first = std::min(first, high - 2);
  const double floor = first * std::log10(2.0) - std::log10(least);
  return {{.start = least, .least = 0.01 * least, .most = 10 * least},
          {.start = first, .least = low - 1, .most = high},
          {.start = std::max(2.0, (high - first) * 0.6), .least = kGap, .most = high - low + 2},
          {.start = std::max(0.5, std::log10(rate) - floor), .least = 0.01, .most = 20},
          {.start = (first + high) / 2, .least = low - 10, .most = high + 10},
          {.start = 0.4, .least = 0.01, .most = 10},
          {.start = floor, .least = floor - 10, .most = floor + 10},
          {.start = rate * 1e-3, .least = rate * 1e-4, .most = rate * 1e-2}};
}

CollectiveCurve fit_region(const std::vector<MessagePoint>& points) {
  const Residuals residuals = [&](const std::vector<double>& x) {
    std::vector<double> r;
    for (const MessagePoint& p : points) r.push_back(std::log(region_us(region_at(x), std::exp2(p.octave)) / p.us));
    return r;
  };
  const std::vector<Parameter> parameters = parameters_of(points);
  std::vector<std::vector<double>> starts;
  for (double width : {0.3, 0.9})
    for (double steepness : {0.2, 1.0}) {
      std::vector<double> start;
      for (const Parameter& p : parameters) start.push_back(p.start);
      start[2] *= width / 0.6;
      start[5] = steepness;
      starts.push_back(std::move(start));
    }
  return region_at(least_squares(residuals, parameters, starts, 100).values);
}

}  // namespace

void fit_regions(const CollectiveCell& cell, Calibration& calibration, const Machine& machine) {
  CollectiveCalibration& row = own_row(calibration, cell, machine);
  row.measured_bandwidth = machine.network[cell.tier].bandwidth;
  row.measured_latency = machine.network[cell.tier].latency;
  for (const auto& [n, samples] : cell.groups) {
    const std::vector<MessagePoint> points = points_of(samples);
    if (points.size() < kLeastSizes || points.back().octave - points.front().octave < 3) continue;
    const CollectiveCurve r = fit_region(points);
    row.region_ranks.push_back(n);
    row.region.insert(row.region.end(),
                      {r.latency, r.first, r.last, r.height, r.middle, r.steepness, r.floor, r.bandwidth});
  }
}

}  // namespace operator_models
