// An axis: figures, linear or by their logarithm, onto pixels.
#pragma once

#include <string>
#include <vector>

namespace cli::svg {

struct AxisRange {
  double low = 0, high = 1;
  bool log = false;
};

struct Tick {
  double value = 0;
  std::string label;
};

struct Axis {
  AxisRange range;
  double from = 0, to = 1;  // pixels of range.low and range.high
  double at(double value) const;
};

/// The range of `values` out to the next round figures; a logarithm where it is wanted and all are above 0.
/// A single value gets room on both sides, no value 0 to 1 (1 to 10).
AxisRange nice_range(const std::vector<double>& values, bool log);

/// Ticks at 1, 2, 2.5 or 5 times a power of ten (a logarithm: powers of ten, with 2 and 5 on a short axis), rising,
/// about `most` of them and at least two.
std::vector<Tick> ticks(const AxisRange& range, int most);

}  // namespace cli::svg
