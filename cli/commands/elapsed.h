// A line on the terminal during work that does not know its end.
#pragma once

#include <optional>

#include "cli/commands/common.h"
#include "cli/commands/progress.h"

namespace cli {

/// Returns what `work` returns. A second after its begin a terminal shows "fitting  1 s", until it ends. REQUIRES: the
/// work writes nothing to the terminal.
template <class Work> auto elapsed(const CommonFlags& common, Streams& streams, const char* what, Work work) {
  std::optional<ProgressBar> bar;
  if (streams.terminal && !common.quiet)
    bar.emplace(streams.screen(), [what](double seconds) { return work_line(what, seconds); });
  return work();
}

}  // namespace cli
