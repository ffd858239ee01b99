// A program run as a user runs it, and what it takes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

struct Process {
  int status = -1;  // of its exit; -1: it did not begin, or did not exit
  double wall_seconds = 0;
  double processor_seconds = 0;  // user and system
  int64_t megabytes = 0;         // most resident memory
  std::string out;               // standard output
};

/// What it writes to standard error is thrown away.
Process run(const std::string& program, const std::vector<std::string>& args);
/// The same, with its standard output given away piece by piece, since a large one here would count as its memory.
Process run(const std::string& program, const std::vector<std::string>& args,
            const std::function<void(std::string_view)>& take);

}  // namespace bench
