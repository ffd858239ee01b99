#include "cli/commands/stopwatch.h"

#include <fmt/format.h>

namespace cli {

void Stopwatch::mark(std::string_view what, int decimals) {
  const auto now = std::chrono::steady_clock::now();
  if (on_)
    err_ << fmt::format("timing: {} {:.{}f} ms\n", what, std::chrono::duration<double, std::milli>(now - last_).count(),
                        decimals);
  last_ = std::chrono::steady_clock::now();
}

}  // namespace cli
