// `--output FILE`: what a command prints goes to a file, whole or not at all.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/args/streams.h"

namespace cli {

/// "" or what is wrong with a file to write that is one of `inputs`.
std::string also_read(const std::string& path, const std::vector<std::string>& inputs);

/// Runs a command with its output in the file at `path`, once it has ended with a result of any kind (kDone,
/// kNotFeasible, kAboveLimit, kInterrupted). Whether the file can be written is tried before. With any other status the
/// file stays as it was, and what was printed goes to `streams.out`. A file that cannot be written is kInvalidInput,
/// with its reason on `err`.
int run_into_file(const std::string& path, Streams& streams, const std::function<int(Streams&)>& command);

}  // namespace cli
