// JSON Schemas (draft 2020-12) of the JSON that commands print, from the lines of its figures.
#pragma once

#include <string_view>
#include <vector>

#include "cli/report/data.h"

namespace cli {

/// "output/plan": the JSON of `plan`; a bare name may be that of a kind of catalogue files.
std::vector<std::string_view> output_kinds();
/// Members that no line describes are allowed, and not named. REQUIRES: `kind` is one of output_kinds.
Data output_schema(std::string_view kind);

}  // namespace cli
