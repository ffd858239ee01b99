// What must hold of every plan, and between the plans of two scenarios that differ in one thing.
#pragma once

#include <limits>
#include <span>
#include <string>

#include "planner/plan/plan.h"
#include "tests/properties/draw.h"
#include "tests/properties/random.h"

namespace properties {

using planner::Plan;
using planner::Scenario;

/// The violation and its relative size; empty: the law holds.
struct Verdict {
  std::string wrong = {};
  double excess = 0;
};

/// Laws that one cause may break together.
enum class Kind { other, machine, network };

/// The law says how the plan of the changed scenario stands to that of the unchanged one.
struct Law {
  const char* says;
  /// Changes the scenario and returns what says the same; nothing: the law says nothing of such a scenario. Null: both
  /// plans are one.
  Sets (*change)(Scenario&, Random&);
  /// REQUIRES: both plans have figures.
  Verdict (*compare)(const Plan& before, const Plan& after);
  Kind kind = Kind::other;
};
std::span<const Law> laws();

/// The one law that says so, or all of a kind.
struct Which {
  const char* says = nullptr;
  Kind kind = Kind::other;
  bool holds(const Law& law) const;
  const char* text() const;
};

/// A case where a law does not hold, the largest violation, and why that is not a defect.
struct Exception {
  Which laws;
  const char* cause;
  bool (*applies)(const Scenario&);
  double most = std::numeric_limits<double>::infinity();  // excess
};
std::span<const Exception> exceptions();

}  // namespace properties
