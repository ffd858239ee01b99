// Files in, diagnostics kept: what every command that reads something shares.
#pragma once

#include <string>
#include <vector>

#include "cli/args/streams.h"
#include "dsl/catalog.h"
#include "dsl/node.h"

namespace cli {

/// Texts and mistakes of one run. Spans of the diagnostics point into the sources.
struct Session {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  dsl::Catalog catalog;
  dsl::Sources scripts = {};  // of other programs, that sources were made of
};

/// The directories, in order of priority, and below them the built-in catalogue; an unreadable directory is diagnosed.
void open_catalog(Session& session, const std::vector<std::string>& directories);

/// The text of a file, or of standard input for "-"; null if it cannot be read (diagnosed).
const dsl::Source* read_input(const std::string& path, Streams& streams, Session& session,
                              size_t most = dsl::ParseLimits{}.bytes);

/// Gives `place` to mistakes without a place, from the `from`-th on: a file that cannot be read is reported at the cell
/// that names it.
void place_mistakes(size_t from, const dsl::Span& place, dsl::Diagnostics& diagnostics);

/// Adds mistakes diagnosed elsewhere.
void add_mistakes(const dsl::Diagnostics& found, dsl::Diagnostics& diagnostics);

}  // namespace cli
