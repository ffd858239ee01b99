// Checks that each kind of a fixed operator list has only its own fields.
#pragma once

#include <set>
#include <string>

#include "dsl/record.h"

namespace planner {

/// Diagnoses, at its place, each field of `model.operators` that the operator's kind does not take, and each that it
/// needs and that is not written. `open`: paths of a space's choices; a kind among them is not judged.
void check_operators(const dsl::Record& record, const std::set<std::string>& open, dsl::Diagnostics& diagnostics);

/// Makes the defaults of all other fields null: a resolved scenario is one that may be written. REQUIRES: the record is
/// bound already.
void hide_foreign_defaults(dsl::Record& record);

}  // namespace planner
