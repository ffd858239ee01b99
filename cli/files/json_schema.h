// The fields as a JSON Schema (draft 2020-12), for editors.
#pragma once

#include "cli/input/catalogue.h"
#include "cli/report/data.h"

namespace cli {

/// The schema of a scenario (kind "scenario") or of a catalogue entry's file, from the rows of its fields. No field is
/// required, since `use` and `extends` may provide it. Unknown keys are refused.
Data json_schema(const EntryKind& kind);

}  // namespace cli
