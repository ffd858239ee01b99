// What must hold of a scenario as its user sees it: in a text, in a search, in a timeline.
#pragma once

#include <span>

#include "tests/properties/laws.h"

namespace properties {

/// One layout of a text is checked, not all of them: to read a text takes longer than to plan.
struct Check {
  const char* says;
  /// Returns the violation; empty: the property holds. `scenario`: of `written`, with a layout.
  Verdict (*run)(const Written& written, const Scenario& scenario, Random& random);
  double share = 1;  // of the texts for which it is checked
};
std::span<const Check> checks();

}  // namespace properties
