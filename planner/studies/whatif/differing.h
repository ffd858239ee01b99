// The differences between two scenarios, in pieces that a user would name: `parallelism.tp`, `model`, `cluster.gpu`.
//
//     Record, Record -> Unit ... : a field, or all that another catalogue entry brings with it
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "planner/scenario/scenario.h"

namespace planner {

/// A unit is one difference. Each can be moved alone, though the resulting scenario may be impossible.
struct DifferenceUnit {
  std::string cause;  // path of the field, or of the section that moves as a whole
  std::string a, b;   // its values, shortened; of a section the name of its catalogue entry
  /// Gives the unit of a scenario the other one's value.
  std::function<void(Scenario&, const LoadedScenario&)> take;
};

/// Returns the differences in the order of the schema; moving all of them turns one scenario's plan into the other's. A
/// model, software, GPU or network of another name is one unit. A default that follows another field, and software
/// settings that follow a precision, move with their cause. Names, `where` and `goal` cost nothing and are left out.
std::vector<DifferenceUnit> differing(const LoadedScenario& a, const LoadedScenario& b);

}  // namespace planner
