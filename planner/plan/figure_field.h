// One line for each figure of a result, as there is one for each field of the input (dsl/fields.h):
//
//     template <class V> void fields(V& v, RunCost& c) {
//       v("usd", c.usd, about(usd, "machines and electricity").in_expressions("usd", rises).in_rows("usd"));
//     }
//
// The line defines: its key in JSON and CSV with its order; its row in the schema of outputs and in the tables of
// docs/output.md; its name in `where`, `goal`, `assert` and a front; its trend there; its column in the rows of
// `search`, `sweep`, `clusters` and `roadmap`, and on their pages; its axis in their pictures; and its value in shards
// of a search.
#pragma once

#include <string>

#include "dsl/quantity.h"

namespace planner {

/// The unit of a figure. JSON, CSV and other formats print SI base units; tables and pages scale by it.
enum class FigureUnit {
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

/// How a figure follows the step as that gets longer, and nothing else of the plan changes; `apart`: it is a part of
/// the step, and does not follow from its length.
enum class WithStep { apart, rises, falls, fixed };

/// The line of a figure: `about(unit, doc)` and further properties.
struct FigureAbout {
  FigureUnit unit = FigureUnit::number;
  const char* doc = "";
  const char* named = nullptr;    // in expressions over results
  const char* column = nullptr;   // of the rows of many plans
  const char* heading = nullptr;  // of that column on a page
  int rank = 0;                   // in which a narrow page drops it, the largest first
  const char* axis = nullptr;     // in a picture, without its unit
  WithStep with_step = WithStep::apart;
  bool more = false;               // more is better
  bool of_space = false;           // relative to other plans of a search or a sweep
  bool kept = false;               // a shard has it, and no row shows it
  double least = 0, most = 1e300;  // limits of a value in a file

  /// Whether it rests on the predicted time, and shares its error.
  bool timed() const { return with_step != WithStep::fixed; }

  constexpr FigureAbout in_expressions(const char* name, WithStep follows = WithStep::apart) {
    return named = name, with_step = follows, *this;
  }
  constexpr FigureAbout in_rows(const char* name) { return column = name, *this; }
  constexpr FigureAbout on_page(const char* name, int drop) { return heading = name, rank = drop, *this; }
  constexpr FigureAbout on_axis(const char* title) { return axis = title, *this; }
  constexpr FigureAbout more_is_better() { return more = true, *this; }
  constexpr FigureAbout relative() { return of_space = true, *this; }
  constexpr FigureAbout in_shards() { return kept = true, *this; }
  constexpr FigureAbout at_least(double x) { return least = x, *this; }
  constexpr FigureAbout at_most(double x) { return most = x, *this; }
};
constexpr FigureAbout about(FigureUnit unit, const char* doc) { return {.unit = unit, .doc = doc}; }

/// The dimension of an expression's value, and the SI value of one unit of the figure.
struct FigureScale {
  dsl::Dim dim;
  double size = 1;
};
FigureScale scale_of(FigureUnit unit);

/// "cost of the run, USD": the title of an axis, and the divisor of its figures.
struct FigureAxis {
  std::string title;
  double size = 1;
};
FigureAxis axis_of(const FigureAbout& about);

}  // namespace planner
