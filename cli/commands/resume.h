// `search --resume FILE`: a search goes on where Ctrl-C stopped it.
#pragma once

#include "cli/input/session.h"
#include "cli/pages/partial.h"

namespace cli {

/// What the file says that an interrupted search had found. `search`: this search, without a result; another one in the
/// file, or one that was not interrupted, is diagnosed.
std::optional<Partial> read_interrupted(const std::string& path, const Partial& search, Streams& streams,
                                        Session& session);

}  // namespace cli
