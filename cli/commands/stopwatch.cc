#include "cli/commands/stopwatch.h"

#include <fmt/format.h>

namespace cli {

void Stopwatch::mark(const char* what) {
  const auto now = std::chrono::steady_clock::now();
  if (on_)
    err_ << fmt::format("timing: {} {:.3f} ms\n", what, std::chrono::duration<double, std::milli>(now - last_).count());
  last_ = std::chrono::steady_clock::now();
}

}  // namespace cli
