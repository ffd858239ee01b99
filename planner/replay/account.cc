#include "planner/replay/account.h"

#include <fmt/format.h>

namespace planner::replay {

StepAccount account_of(const trace::RankTrace& trace, size_t rank, const trace::Step& step, const Replayed& replayed,
                       std::span<const Run> runs) {
  return {.step_ns = step.window.end_ns - step.window.begin_ns,
          .compute_ns = step.ran.compute_ns,
          .communication_ns = step.ran.communication_ns,
          .copies_ns = step.ran.memory_ns,
          .overlaps_ns = step.ran.doubled_ns,
          .idle_ns = step.ran.idle_ns(),
          .idle = idle_of(trace, rank, step.window, replayed, runs)};
}

std::string wrong_of(const StepAccount& account) {
  const struct {
    const char* name;
    int64_t ns;
  } parts[] = {{"computation", account.compute_ns},
               {"communication", account.communication_ns},
               {"copies", account.copies_ns},
               {"idle", account.idle_ns},
               {"host-bound", account.idle.host_ns},
               {"gaps", account.idle.gap_ns},
               {"unexplained", account.idle.unexplained_ns}};
  for (const auto& part : parts)
    if (part.ns < 0 || part.ns > account.step_ns)
      return fmt::format("{} is {} ns of a step of {} ns", part.name, part.ns, account.step_ns);
  if (account.sum_ns() != account.step_ns)
    return fmt::format("the parts are {} ns of a step of {} ns", account.sum_ns(), account.step_ns);
  if (account.idle.sum_ns() != account.idle_ns)
    return fmt::format("the causes of idle time are {} ns of {} ns", account.idle.sum_ns(), account.idle_ns);
  return "";
}

}  // namespace planner::replay
