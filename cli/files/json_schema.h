// The fields as a JSON Schema (draft 2020-12), for editors.
#pragma once

#include "cli/input/catalogue.h"
#include "cli/report/data.h"

namespace cli {

/// The schema of a scenario (kind "scenario") or of a catalogue entry's file, from the rows of its fields. It asks for
/// no field, since `use` and `extends` may bring it; it knows every key, and refuses any other.
Data json_schema(const EntryKind& kind);

}  // namespace cli
