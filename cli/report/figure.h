// A figure as people read it: four significant digits, an SI prefix, its unit.
#pragma once

#include <string>

#include "cli/report/data.h"

namespace cli {

/// What a column holds. JSON, CSV and the rest print SI base units whatever the unit; text scales by it.
enum class Unit {
  text,
  count,
  number,
  fraction /* 0.5 -> "50.0 %" */,
  seconds,
  bytes /* GB */,
  memory /* GiB */,
  gib /* GiB, the unit in the heading */,
  flops,
  flops_per_second,
  bytes_per_second,
  flops_per_byte,
  per_second,
  tokens_per_second,
  days,
  hours,
  usd,
  kwh
};

/// "12.34 ms", "50.0 %", "78.12 GiB", "-" for null; lists joined by '+', objects as "m=1 n=2".
std::string figure(const Data& value, Unit unit);

/// `x` with four significant digits, in plain notation where that is short ("0.001234", "1234", "1.235e+12").
std::string four_digits(double x);

}  // namespace cli
