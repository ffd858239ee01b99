#include "operator_models/power.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using operator_models::kLog2;
using operator_models::Power;

TEST_CASE("powers by look-up are the library's to the last digits") {
  for (const double p : {0.05, 0.3, 1 / 3.442, 1.0, 3.442, 7.9, 20.0}) {
    const Power power(p);
    double worst = 0;
    for (double x = 1e-30; x < 1e30; x *= 1.37) worst = std::max(worst, std::abs(power(x) / std::pow(x, p) - 1));
    for (double x = 0.99; x < 2.01; x += 1e-3) worst = std::max(worst, std::abs(power(x) / std::pow(x, p) - 1));
    CAPTURE(p);
    CHECK(worst < (p > 1 ? 2e-13 : 4e-15));
    CHECK(power(0) == 0);
  }
}

TEST_CASE("logarithms by look-up are the library's to the last digits, around their octaves too") {
  for (double x = 1; x < 1e18; x = std::nextafter(x * 1.013, 1e300))
    CHECK(std::abs(kLog2(x) - std::log2(x)) < 4e-15 * std::max(1.0, std::log2(x)));
  for (int octave = 0; octave < 62; ++octave) {
    const double x = std::ldexp(1, octave);
    CHECK(std::abs(kLog2(x) - octave) < 4e-15);
    CHECK(kLog2(std::nextafter(x, 0)) <= kLog2(x) + 2e-14);
  }
}
