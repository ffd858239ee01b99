#include "cli/svg/axis.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/svg/text.h"

namespace cli::svg {
namespace {

constexpr double kSlack = 1e-9;  // a rounding error must not add a tick
// Between them figures can be divided and multiplied by ten. What lies beyond has its place at the end.
constexpr double kLeast = 1e-300, kMost = 1e300;
constexpr double kNarrow = 1e-12;  // of a value: digits do not separate closer ticks

/// The round step that divides `width` into at most `most` parts.
double round_step(double width, int most) {
  const double least = width / most, ten = std::pow(10, std::floor(std::log10(least)));
  for (double m : {1.0, 2.0, 2.5, 5.0})
    if (m * ten >= least * (1 - kSlack)) return m * ten;
  return 10 * ten;
}

constexpr int kParts = 8;  // of a linear axis, to round its ends

AxisRange around(double value, bool log) {
  if (log) return {value / 2, value * 2, true};
  const double room = std::abs(value) < kLeast ? 1 : std::abs(value) * 0.1;
  return {value - room, value + room, false};
}

/// The largest of 1, 2, 5 times a power of ten up to `value`, or the smallest from it.
double round_down(double value) {
  const double ten = std::pow(10, std::floor(std::log10(value) + kSlack));
  for (double m : {5.0, 2.0})
    if (m * ten <= value * (1 + kSlack)) return m * ten;
  return ten;
}
double round_up(double value) {
  const double ten = std::pow(10, std::floor(std::log10(value) + kSlack));
  for (double m : {1.0, 2.0, 5.0})
    if (m * ten >= value * (1 - kSlack)) return m * ten;
  return 10 * ten;
}

std::vector<double> log_values(const AxisRange& r, int most) {
  const int first = static_cast<int>(std::floor(std::log10(r.low) + kSlack));
  const int last = static_cast<int>(std::ceil(std::log10(r.high) - kSlack));
  const int decades = last - first, every = std::max(1, (decades + most - 1) / most);
  const bool fine = 3 * decades <= most;
  std::vector<double> values;
  for (int k = first; k <= last; k += every)
    for (double m : {1.0, 2.0, 5.0})
      if (m == 1 || fine) values.push_back(m * std::pow(10, k));
  std::erase_if(values, [&](double v) { return v < r.low * (1 - kSlack) || v > r.high * (1 + kSlack); });
  return values.size() < 2 ? std::vector<double>{r.low, r.high} : values;
}

std::vector<double> linear_values(const AxisRange& r, int most) {
  const double step = round_step(r.high - r.low, std::max(most, 1));
  std::vector<double> values;
  const double first = std::ceil(r.low / step - kSlack) + 0.0;
  for (int k = 0; k <= most + 1 && (first + k) * step <= r.high + kSlack * step; ++k)
    values.push_back((first + k) * step);
  return values.size() < 2 ? std::vector<double>{r.low, r.high} : values;
}

}  // namespace

double Axis::at(double value) const {
  const auto place = [&](double x) { return range.log ? std::log10(x) : x; };
  const double share = (place(value) - place(range.low)) / (place(range.high) - place(range.low));
  constexpr double kFar = 1000;  // widths of the axis
  return from + std::clamp(share, -kFar, kFar) * (to - from);
}

AxisRange nice_range(const std::vector<double>& values, bool log) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (values.empty()) return log ? AxisRange{1, 10, true} : AxisRange{0, 1, false};
  log = log && *least > 0;
  const double low = std::clamp(*least, log ? kLeast : -kMost, kMost), high = std::clamp(*most, low, kMost);
  const bool one = high - low <= std::max(kLeast, kNarrow * std::max(std::abs(low), std::abs(high)));
  AxisRange r = one ? around(low, log) : AxisRange{low, high, log};
  if (log) return {round_down(r.low), round_up(r.high), true};
  const double step = round_step(r.high - r.low, kParts);
  return {std::floor(r.low / step + kSlack) * step, std::ceil(r.high / step - kSlack) * step, false};
}

std::vector<Tick> ticks(const AxisRange& range, int most) {
  constexpr int kDigits = 4, kMostDigits = 12;
  std::vector<Tick> out;
  for (double v : range.log ? log_values(range, most) : linear_values(range, most)) out.push_back({v, ""});
  const auto same = [](const Tick& a, const Tick& b) { return a.label == b.label; };
  for (int digits = kDigits; digits <= kMostDigits; ++digits) {  // as many as separate them
    for (Tick& tick : out) tick.label = short_number(tick.value, digits);
    if (std::adjacent_find(out.begin(), out.end(), same) == out.end()) break;
  }
  return out;
}

}  // namespace cli::svg
