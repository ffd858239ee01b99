// What an interrupted command prints says so, in every format and on standard error.
#pragma once

#include "cli/commands/common.h"

namespace cli {

/// Names a result that is not whole: a line above the page and below the title of the picture, the member `interrupted`
/// of the document, and a column of that name, which `columns` then picks too.
void mark_interrupted(Report& report, std::vector<std::string>& columns);

/// Says on standard error that what was printed is not whole, but for --quiet. Returns the status.
int tell_interrupted(const CommonFlags& common, Streams& streams, const char* command);

}  // namespace cli
