// What a program does where nothing is set.
#pragma once

#include <string_view>

#include "planner/scenario/scenario.h"

namespace planner::exporting {

class ProgramHabits {
 public:
  /// `software`: the program's, as the catalogue has it. What it does may depend on the model, the job and the layout.
  ProgramHabits(const LoadedScenario& loaded, const char* software);
  ProgramHabits(const ProgramHabits&) = delete;

  /// Returns the scenario under that software; null if it cannot be read.
  const dsl::Record* record() const { return under_software_ ? &under_software_->record : nullptr; }
  /// Returns whether the field has the value that it has under that software, or by default in any scenario.
  bool holds(std::string_view field, const dsl::Slot& slot) const;

 private:
  dsl::Sources sources_;
  std::optional<LoadedScenario> under_software_;  // the scenario with nothing but that software
};

}  // namespace planner::exporting
