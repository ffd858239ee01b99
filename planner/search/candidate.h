// One combination of an open scenario's choices, as a scenario.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "planner/scenario/field_setter.h"
#include "planner/scenario/scenario.h"

namespace planner {

/// The scenario follows a cursor: from one candidate to the next only what changed is written.
class Candidate {
 public:
  explicit Candidate(const OpenScenario& open);
  Candidate(const Candidate&) = delete;
  Candidate& operator=(const Candidate&) = delete;

  /// Returns the scenario of the combination under the cursor. REQUIRES: for every combination that the cursor comes
  /// to, `at` or `skip` is called, in order.
  const Scenario& at(const dsl::Cursor& cursor);
  void skip(const dsl::Cursor& cursor);
  /// The same for each combination of a candidate of several lengths, from the one under the cursor to its last.
  /// Returns the scenario with the fields that differ at each length (`Scenario::lengths`). REQUIRES: all of them have
  /// values.
  const Scenario& arrive(dsl::Cursor& cursor);
  /// Writes the values that differ at the length under the cursor into the scenario.
  void note_length(const dsl::Cursor& cursor);
  /// Gives the scenario that `at` returned another value of an item, by its number. REQUIRES: the cursor's value is put
  /// back before any other use; the item is a field that is known from the start.
  const Scenario& put(size_t item, size_t value) {
    setters_[item](open_.space.items()[item].values[value]);
    return scenario_;
  }
  /// Returns whether no other field of the scenario follows an item.
  static bool stands_by_itself(const dsl::OpenItem& item);

 private:
  void rebind(const dsl::Cursor& cursor);

  const OpenScenario& open_;
  Scenario scenario_;
  std::vector<dsl::Setter> setters_;  // by item; empty: an entry of `let`
  size_t stale_from_ = 0;             // first level whose value is not in `scenario_`
  std::vector<bool> implied_;         // by item: not written, but implied by fp32 and tf32
  // A precision implies software settings in many fields: one bound scenario for each.
  std::optional<size_t> precision_;
  std::map<std::string, Scenario> bound_;
};

}  // namespace planner
