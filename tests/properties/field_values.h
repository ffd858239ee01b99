// What a field of the schema may be.
#pragma once

#include <string>
#include <vector>

#include "tests/properties/draw.h"

namespace properties {

/// Returns whether the field may hold a choice.
bool can_be_open(const dsl::Field& field);

/// Returns entries of the catalogue whose scenarios have the field; one that names none: any.
const std::vector<Uses>& entries_with(const std::string& field);

/// Returns two values, as the language writes them, of a field that has this one; fewer: no other is known.
std::vector<std::string> two_values(const dsl::Field& field, const dsl::Value& value, Random& random);

}  // namespace properties
