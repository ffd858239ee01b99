// What an export writes into comments, for the way back.
#pragma once

#include <string_view>

#include "dsl/diagnostic.h"
#include "dsl/node.h"
#include "dsl/record.h"

namespace planner {

/// The beginning of a comment that says a field: "# trainplan: software.gap = 13 us".
inline constexpr std::string_view kNotedField = "# trainplan: ";

/// The catalogue entry of what measured runs of the software came to, which an export notes as well.
inline constexpr const char* kNotedErrors = "software.errors.use";

/// Returns whether an export notes the field: a measured figure of the software, which no program takes as a setting.
bool is_noted(const dsl::Field& field);

/// Puts the fields that the text notes. Errors: a note of another field, or one without a value.
void put_noted_fields(const dsl::Source& text, dsl::Node& scenario, dsl::Diagnostics& diagnostics);

}  // namespace planner
