// `search --resume FILE`: a search goes on where Ctrl-C stopped it.
#pragma once

#include "cli/commands/common.h"
#include "cli/pages/partial.h"

namespace cli {

/// What the file says that an interrupted search had found. `search`: this search, without a result; another one in the
/// file, or one that was not interrupted, is diagnosed.
std::optional<Partial> read_interrupted(const Options& options, const Partial& search, Streams& streams,
                                        Session& session);

}  // namespace cli
