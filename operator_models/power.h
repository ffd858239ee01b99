// x^p for one p and many x by one look-up and a short series: a logarithm and a power would take longer than all else
// that a GEMM needs.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace operator_models {

/// x = 2^octave * middle(part) * (1 + r): the middles of the parts of an octave, |r| <= 1/256.
struct OctaveParts {
  static constexpr size_t kCount = 128;
  static constexpr int kOctaves = 128;  // around one
  static constexpr double middle(size_t part) { return 1 + (static_cast<double>(part) + 0.5) / kCount; }

  constexpr OctaveParts() {
    for (size_t i = 0; i < kCount; ++i) inverse[i] = 1 / middle(i);
    for (int i = 0; i < kOctaves; ++i) {
      whole[static_cast<size_t>(i)] = i - kOctaves / 2;
      shrink[static_cast<size_t>(i)] = std::bit_cast<double>(static_cast<uint64_t>(1023 + kOctaves / 2 - i) << 52);
    }
  }
  /// Beyond kOctaves where x is not among them.
  static uint64_t octave_of(double x) { return (std::bit_cast<uint64_t>(x) >> 52) - (1023 - kOctaves / 2); }
  static size_t part_of(double x) { return std::bit_cast<uint64_t>(x) >> 45 & (kCount - 1); }
  /// REQUIRES: octave and part are x's.
  double rest_of(double x, uint64_t octave, size_t part) const { return x * shrink[octave] * inverse[part] - 1; }

  std::array<double, kOctaves> whole{}, shrink{};  // octave, 2^-octave
  std::array<double, kCount> inverse{};
};
inline constexpr OctaveParts kParts;

/// log2.
class Logarithm {
 public:
  Logarithm() {
    for (size_t i = 0; i < OctaveParts::kCount; ++i) part_[i] = std::log2(OctaveParts::middle(i));
  }
  /// REQUIRES: 2^-64 <= x < 2^64.
  double operator()(double x) const {
    constexpr double c1 = 1.4426950408889634, c2 = -c1 / 2, c3 = c1 / 3, c4 = -c1 / 4, c5 = c1 / 5;
    const uint64_t octave = OctaveParts::octave_of(x);
    const size_t part = OctaveParts::part_of(x);
    const double r = kParts.rest_of(x, octave, part), r2 = r * r;
    return kParts.whole[octave] + part_[part] + r * ((c1 + c2 * r) + r2 * ((c3 + c4 * r) + r2 * c5));
  }

 private:
  std::array<double, OctaveParts::kCount> part_{};
};
inline const Logarithm kLog2;

/// x^p for positive x. The series holds all digits up to p = 8; above, where few fits end, the library's power serves.
class Power {
 public:
  explicit Power(double p) : p_(p) {
    if (p > kMost) return;
    for (int i = 0; i < OctaveParts::kOctaves; ++i)
      octave_[static_cast<size_t>(i)] = std::exp2(p * (i - OctaveParts::kOctaves / 2));
    for (size_t i = 0; i < OctaveParts::kCount; ++i) part_[i] = std::pow(OctaveParts::middle(i), p);
    double term = 1, power = 0;
    for (double& b : series_) {
      term *= (p - power) / (power + 1);
      b = term;
      ++power;
    }
    octaves_ = OctaveParts::kOctaves;
  }

  double operator()(double x) const {
    const uint64_t octave = OctaveParts::octave_of(x);
    if (octave >= octaves_) return std::pow(x, p_);
    const size_t part = OctaveParts::part_of(x);
    const double middle = octave_[octave] * part_[part], r = kParts.rest_of(x, octave, part), r2 = r * r;
    const auto& [b1, b2, b3, b4, b5] = series_;
    return middle + middle * r * ((b1 + b2 * r) + r2 * ((b3 + b4 * r) + r2 * b5));
  }

 private:
  static constexpr double kMost = 8;
  double p_;
  uint64_t octaves_ = 0;  // none: the tables are not filled
  std::array<double, 5> series_{};
  std::array<double, OctaveParts::kOctaves> octave_{};
  std::array<double, OctaveParts::kCount> part_{};
};

}  // namespace operator_models
