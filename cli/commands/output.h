// `--output FILE`: the output of a command goes to a file, whole or not at all.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/args/streams.h"

namespace cli {

/// Returns "", or a message if a file to write is one of `inputs`.
std::string also_read(const std::string& path, const std::vector<std::string>& inputs);

/// Runs a command and writes its output to the file at `path`, once it has ended with any result (kDone, kNotFeasible,
/// kAboveLimit, kInterrupted). Checks first that the file can be written. With any other status the file is unchanged,
/// and the output goes to `streams.out`. A file that cannot be written is kInvalidInput, with its reason on `err`.
int run_into_file(const std::string& path, Streams& streams, const std::function<int(Streams&)>& command);

}  // namespace cli
