// Lint of scenario and catalogue files.
#pragma once

#include "cli/commands/common.h"

namespace cli {

/// Reads one file of any kind and collects every mistake in the session. A figure of an accelerator,
/// a cluster or a calibration without a source comment is a warning.
void check_file(const std::string& path, const Options& options, Streams& streams, Session& session);

}  // namespace cli
