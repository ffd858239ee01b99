// Settings of a framework, a compiler or a layout that make a step shorter or smaller: an open table.
// The passes are those of dPRO (Hu et al. 2022, sections 2.2 and 5.2). Each writes fields of a scenario, so that the
// plan computes its effect on time and memory.
#pragma once

#include <span>
#include <vector>

#include "planner/plan/field_sets.h"
#include "planner/plan/plan.h"

namespace planner {

/// The aim of a pass: to fit a budget of memory, or to make the step shorter.
enum class PassAim { memory, time };

struct SettingPass {
  const char* name;
  PassAim aim;
  const char* edits;  // its changes
  const char* bound;  // the limit of its gain
  /// That bound in seconds of a plan. REQUIRES: no layout violation.
  double (*most_seconds)(const Plan& plan);
  /// The ways to apply it, each a set of fields; empty if it is applied already or has no meaning.
  std::vector<Sets> (*ways)(const Scenario& scenario);
};
/// Passes for memory first; the others in the order in which they are tried.
std::span<const SettingPass> setting_passes();

}  // namespace planner
