// The break-even value of a field: where a condition begins, or ceases, to hold.
//
//     start, limits -> grow and shrink until the condition changes -> bisect -> five digits, or neighbouring whole
//     numbers
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "planner/search/search.h"

namespace planner {

/// A trial is the best plan with one value of the field.
struct Trial {
  double value = 0;      // SI base units
  std::string text;      // as `--set` takes it
  bool layouts = false;  // at least one candidate was costed; otherwise the value has no meaning
  bool holds = false;
  std::optional<dsl::Number> left, right;  // the sides of a condition that is a comparison
  std::optional<Found> best;               // absent where nothing is feasible; the condition does not hold then
  std::vector<std::string> choices = {};   // names of its choices: which there are may follow the field
};
using Try = std::function<Trial(double value)>;

struct SolveRange {
  double start = 1;            // 0: of a count, or of a field with a largest value
  double least = 0, most = 0;  // limits of the field, may be infinite
  bool whole = false;          // a count
};

struct Solved {
  std::vector<Trial> trials;           // all of them, smallest value first
  std::optional<size_t> holds, fails;  // positions of the neighbours between which the condition changes
  std::vector<size_t> exceptions;      // trials on the wrong side of it: the field does not act monotonically
  bool at_start = false;  // it holds at the start; without neighbours: at every value that was tried, else at none
};

/// Doubles and halves the start up to `kSolveFactor` times as much, then bisects: whole numbers to neighbours (or to
/// the nearest that have a layout), others to five digits. The bracket that is nearest to the start counts.
inline constexpr double kSolveFactor = 65536;
Solved solve(const SolveRange& range, const Try& attempt);

}  // namespace planner
