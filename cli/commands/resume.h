// `search --resume FILE`: a search goes on where it was interrupted.
#pragma once

#include "cli/files/partial.h"
#include "cli/input/session.h"

namespace cli {

/// What the file says that an interrupted search had found. `search`: this search of `open`, without a result; another
/// one in the file, one that was not interrupted, or that has walked more than there is, is diagnosed. `draws`: the
/// axes of the front are those of the file.
std::optional<Partial> read_interrupted(const std::string& path, bool draws, Partial& search,
                                        const planner::OpenScenario& open, Streams& streams, Session& session);

/// Makes quantities of rows that were read back, which JSON holds as texts, values of the space again.
void restore_choices(const planner::OpenScenario& open, planner::SearchResult& result);

}  // namespace cli
