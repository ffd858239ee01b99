// The three-region curve of Lin et al., "Towards Universal Performance Modeling for Machine Learning Training on
// Multi-GPU Platforms" (2024), section IV-A:
//
//     m <= m1        t_s
//     m1 < m < m2    m / 10^sigmoid(log2 m),  sigmoid(x) = L / (1 + exp(-k (x - x0))) + b
//     m >= m2        t_s + m / BW
//
// The paper prints log2(m) in the numerator of the second (a misprint: the sigmoid is the logarithm of a bandwidth),
// and its three pieces do not meet. Here the second is multiplied by m^c e^d so that it meets both neighbours. Where it
// falls, its highest value so far replaces it (one fall at most: its slope has one minimum, at x0).
#include <algorithm>
#include <cmath>

#include "operator_models/collective.h"

namespace operator_models {
namespace {

const double kLn2 = std::log(2.0), kLn10 = std::log(10.0);

/// ln of m / 10^sigmoid, x = log2 m.
double raw(const CollectiveCurve& r, double x) {
  return x * kLn2 - kLn10 * (r.height / (1 + std::exp(-r.steepness * (x - r.middle))) + r.floor);
}

double saturated_us(const CollectiveCurve& r, double bytes) { return r.latency + bytes / (r.bandwidth * 1e3); }

/// The middle piece, its ends bent to meet t_s and t_s + m2 / BW.
struct Middle {
  double left, slope;  // added to ln t at m1, and its growth per octave
  explicit Middle(const CollectiveCurve& r) {
    const double right = std::log(saturated_us(r, std::exp2(r.last))) - raw(r, r.last);
    left = std::log(r.latency) - raw(r, r.first);
    slope = (right - left) / (r.last - r.first);
  }
  double us(const CollectiveCurve& r, double x) const { return std::exp(raw(r, x) + left + slope * (x - r.first)); }
  /// Where it begins to fall; `last` if it does not.
  double top(const CollectiveCurve& r) const {
    // d ln t / dx = ln 2 + slope - ln 10 L k s (1 - s): zero at s (1 - s) = d
    const double sharpness = kLn10 * r.height * r.steepness;
    const double d = sharpness > 0 ? (kLn2 + slope) / sharpness : 1;
    if (d >= 0.25) return r.last;
    const double s = (1 - std::sqrt(1 - 4 * std::max(d, 0.0))) / 2;
    return s <= 0 ? r.first : std::clamp(r.middle - std::log(1 / s - 1) / r.steepness, r.first, r.last);
  }
};

}  // namespace

double region_us(const CollectiveCurve& r, double bytes) {
  const double x = std::log2(bytes);
  if (x <= r.first) return r.latency;
  if (r.last <= r.first || r.latency <= 0) return saturated_us(r, bytes);
  const Middle middle(r);
  const double top = middle.top(r), here = x < r.last ? middle.us(r, x) : saturated_us(r, bytes);
  return x <= top ? here : std::max({here, r.latency, middle.us(r, top)});
}

CollectiveCurve region_of(const CollectiveCalibration& row, size_t i) {
  const double* x = &row.region[i * kRegionNumbers];
  return {x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]};
}

}  // namespace operator_models
