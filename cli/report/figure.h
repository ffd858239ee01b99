// A figure as people read it: four significant digits, an SI prefix, its unit.
#pragma once

#include <functional>
#include <string>

#include "cli/report/data.h"
#include "planner/plan/figure_field.h"

namespace cli {

/// The unit of a column. JSON, CSV and other formats print SI base units in any case; text scales by it.
using Unit = planner::FigureUnit;

/// "12.34 ms", "50.0 %", "78.12 GiB", "-" for null; lists joined by '+', objects as "m=1 n=2".
std::string figure(const Data& value, Unit unit);

/// A text of each item, `between` them: "tp 8, pp 4".
template <class Items, class Of> std::string text_list(Items&& items, Of of, const std::string& between = ", ") {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : between) + std::invoke(of, item);
  return text;
}

/// `x` with four significant digits, in plain notation where that is short ("0.001234", "1234", "1.235e+12").
std::string four_digits(double x);

}  // namespace cli
