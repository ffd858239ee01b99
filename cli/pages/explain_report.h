// trainplan.explain/1: a field of a scenario, or a figure of a plan, by its name.
#pragma once

#include "cli/input/field_uses.h"
#include "cli/report/row_fields.h"
#include "planner/plan/results.h"

namespace cli {

/// A row of `list scenario-field`.
RowFields<dsl::Field> field_rows();

Report explain_field(const dsl::Field& field, const FieldUses& uses);
Report explain_figure(const planner::ResultRow& figure);

}  // namespace cli
