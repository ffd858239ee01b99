// Every field of the schema as a choice of two values, on small scenarios that hold them.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace choices {

/// A scenario with one field open.
struct Choice {
  const char* text;  // of the scenario
  std::string path, set;
  bool is_text = false;  // the values are words or names
};

/// Returns a choice for each field of the schema that holds one value, in the order of the scenarios and their fields.
/// Both values can be planned, and fit if two such values are found. `without`: fields without a choice.
std::vector<Choice> every_choice(std::set<std::string>& without);

}  // namespace choices
