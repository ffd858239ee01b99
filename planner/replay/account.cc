#include "planner/replay/account.h"

#include <fmt/format.h>

#include <algorithm>

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

namespace {

void add(int64_t idle, const ReplayEdge* waits, int64_t typical_launch, Idle& sum) {
  if (!waits) return void(sum.unexplained_ns += idle);
  const bool launched = waits->cause == Cause::launch || waits->cause == Cause::start;
  const int64_t usual = launched ? typical_launch + kMostGapNs : kMostGapNs;
  const int64_t unexplained = waits->cause == Cause::start ? 0 : std::clamp<int64_t>(waits->lag_ns - usual, 0, idle);
  sum.unexplained_ns += unexplained;
  (launched ? sum.host_ns : sum.gap_ns) += idle - unexplained;
}

const ReplayEdge* edge_of(const EventNodes& nodes, const Replayed& replayed, std::span<const Run> runs) {
  if (nodes.first == Run::kNone || runs[nodes.first].waits == Run::kNone) return nullptr;
  return &replayed.graph.edges[runs[nodes.first].waits];
}

}  // namespace

Idle idle_of(const trace::RankTrace& trace, size_t rank, trace::TimeInterval window, const Replayed& replayed,
             std::span<const Run> runs) {
  Idle idle;
  int64_t busy_until = window.begin_ns;
  for (size_t i = 0; i < trace.events.size() && busy_until < window.end_ns; ++i) {
    const trace::Event& event = trace.events[i];
    if (!trace::is_on_device(event.kind) || event.end_ns() <= busy_until) continue;
    const int64_t begin = std::min(event.start_ns, window.end_ns);
    if (begin > busy_until)
      add(begin - busy_until, edge_of(replayed.events[rank][i], replayed, runs), replayed.typical_launch_ns[rank],
          idle);
    busy_until = event.end_ns();
  }
  idle.host_ns += std::max<int64_t>(0, window.end_ns - busy_until);
  return idle;
}

}  // namespace planner::replay
