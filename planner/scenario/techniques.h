// Techniques as one word of a scenario: features that today's machines or software lack. Each is a value of one field,
// which passes and cost models read; the word is only a shorthand for the field.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "planner/scenario/scenario.h"

namespace planner {

struct Technique {
  const char* name;
  const char* field;  // that it sets
  const char* value;  // to this word ...
  const char* off;    // ... in place of this one
  const char* needs;  // of the machine, for people
  const char* summary;
  const char* source;
};

/// The rows of the table, in the order in which their passes apply.
std::span<const Technique> techniques();
/// The row of this name; null if there is none.
const Technique* find_technique(std::string_view name);

/// A feature that the software requires and the machine lacks.
struct Lack {
  const char* field;  // of the software, with the requirement
  std::string message, hint;
};
/// The first of them. A scenario that is closed is refused for it where it is read, a candidate of a search by a rule
/// of layouts.
std::optional<Lack> lack_of(const Scenario& scenario);

}  // namespace planner
