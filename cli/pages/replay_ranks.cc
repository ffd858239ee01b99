#include "cli/pages/replay_ranks.h"

#include <algorithm>
#include <limits>

namespace cli {
namespace {

namespace trace = planner::trace;
using planner::replay::Run;
using planner::replay::StepAccount;

double error(int64_t replayed, int64_t measured) {
  return measured > 0 ? static_cast<double>(replayed - measured) / static_cast<double>(measured) : 0;
}

std::string name_of_step(const Measured& m, size_t rank, size_t at) {
  const trace::Step& step = m.steps[rank][at];
  return step.is_marked() ? step.name : "whole trace";
}

/// When the first rank began.
int64_t first_begin(const Measured& m) {
  int64_t first = std::numeric_limits<int64_t>::max();
  for (const std::vector<trace::Step>& steps : m.steps)
    if (!steps.empty()) first = std::min(first, steps.front().window.begin_ns);
  return first;
}

/// null: the end of the run does not wait for it. A trace without steps begins with whatever comes first.
Data slack_of(const Measured& m, size_t rank, size_t at) {
  int64_t slack = m.slacks[m.replayed.steps[rank][at].begin];
  if (!m.steps[rank][at].is_marked())
    for (const planner::replay::EventNodes& nodes : m.replayed.events[rank])
      if (nodes.first != Run::kNone) slack = std::min(slack, m.slacks[nodes.first]);
  return slack < planner::replay::kFree ? Data(in_seconds(slack)) : Data();
}

}  // namespace

Table rank_rows(const Measured& m) {
  Table table{
      .title = "Ranks",
      .columns = {{.name = "rank", .unit = Unit::count},
                  {.name = "step", .rank = 5},
                  {.name = "measured_seconds", .unit = Unit::seconds, .heading = "step time"},
                  {.name = "replayed_seconds", .unit = Unit::seconds, .rank = 4, .heading = "replayed"},
                  {.name = "error", .unit = Unit::fraction, .rank = 5},
                  {.name = "changed_seconds", .unit = Unit::seconds, .heading = "changed"},
                  {.name = "begin_seconds", .unit = Unit::seconds, .rank = 3, .heading = "began"},
                  {.name = "slack_seconds", .unit = Unit::seconds, .rank = 1, .heading = "slack"},
                  {.name = "device_seconds", .unit = Unit::seconds, .rank = 6, .heading = "device"},
                  {.name = "busy_seconds", .unit = Unit::seconds, .rank = 3, .heading = "busy"},
                  {.name = "compute_seconds", .unit = Unit::seconds, .heading = "compute"},
                  {.name = "communication_seconds", .unit = Unit::seconds, .heading = "comm"},
                  {.name = "memory_seconds", .unit = Unit::seconds, .rank = 7, .heading = "copies"},
                  {.name = "overlaps_seconds", .unit = Unit::seconds, .rank = 7, .heading = "overlaps"},
                  {.name = "overlap_ratio", .unit = Unit::fraction, .rank = 4, .heading = "hidden"},
                  {.name = "exposed_communication_seconds", .unit = Unit::seconds, .rank = 2, .heading = "exposed"},
                  {.name = "waiting_for_ranks_seconds", .unit = Unit::seconds, .heading = "rank waits"},
                  {.name = "idle_seconds", .unit = Unit::seconds, .rank = 1, .heading = "idle"},
                  {.name = "host_bound_seconds", .unit = Unit::seconds, .rank = 1, .heading = "host-bound"},
                  {.name = "device_gap_seconds", .unit = Unit::seconds, .rank = 8, .heading = "gaps"},
                  {.name = "unexplained_seconds", .unit = Unit::seconds, .rank = 2, .heading = "unexplained"},
                  {.name = "step_of", .rank = 6, .heading = "step of"}}};
  const int64_t first = first_begin(m);
  for (size_t r = 0; r < m.trace.size(); ++r)
    for (size_t s = 0; s < m.steps[r].size(); ++s) {
      const trace::Step& step = m.steps[r][s];
      const StepAccount& account = m.accounts[r][s];
      const int64_t replayed = m.lengths[r][s];
      table.rows.push_back({rank_of(m, r),
                            name_of_step(m, r, s),
                            in_seconds(account.step_ns),
                            in_seconds(replayed),
                            error(replayed, account.step_ns),
                            m.changed.empty() ? Data() : Data(in_seconds(m.changed_ns[r][s])),
                            in_seconds(step.window.begin_ns - first),
                            slack_of(m, r, s),
                            in_seconds(step.launched.window_ns),
                            in_seconds(step.ran.busy_ns),
                            in_seconds(account.compute_ns),
                            in_seconds(account.communication_ns),
                            in_seconds(account.copies_ns),
                            in_seconds(account.overlaps_ns),
                            step.ran.overlap_ratio(),
                            in_seconds(step.ran.exposed_ns),
                            in_seconds(trace::waited_in(m.trace, m.matched, r, step.window)),
                            in_seconds(account.idle_ns),
                            in_seconds(account.idle.host_ns),
                            in_seconds(account.idle.gap_ns),
                            in_seconds(account.idle.unexplained_ns),
                            step.of_device ? "device" : "host"});
    }
  return table;
}

Table launched_rows(const Measured& m) {
  Table table{.title = "Launched",
              .columns = {{.name = "rank", .unit = Unit::count},
                          {.name = "step"},
                          {.name = "device_seconds", .unit = Unit::seconds},
                          {.name = "busy_seconds", .unit = Unit::seconds},
                          {.name = "compute_seconds", .unit = Unit::seconds},
                          {.name = "communication_seconds", .unit = Unit::seconds},
                          {.name = "memory_seconds", .unit = Unit::seconds},
                          {.name = "overlap_ratio", .unit = Unit::fraction},
                          {.name = "exposed_communication_seconds", .unit = Unit::seconds}}};
  for (size_t r = 0; r < m.trace.size(); ++r)
    for (size_t s = 0; s < m.steps[r].size(); ++s) {
      const trace::Busy& busy = m.steps[r][s].launched;
      table.rows.push_back({rank_of(m, r), name_of_step(m, r, s), in_seconds(busy.window_ns), in_seconds(busy.busy_ns),
                            in_seconds(busy.compute_ns), in_seconds(busy.communication_ns), in_seconds(busy.memory_ns),
                            busy.overlap_ratio(), in_seconds(busy.exposed_ns)});
    }
  return table;
}

Table unseen_rows(const Measured& m) {
  Table table{.title = "From the others",
              .columns = {{.name = "rank", .unit = Unit::count},
                          {.name = "step", .rank = 2},
                          {.name = "measured_seconds", .unit = Unit::seconds, .heading = "measured"},
                          {.name = "predicted_seconds", .unit = Unit::seconds, .heading = "predicted"},
                          {.name = "error", .unit = Unit::fraction},
                          {.name = "others_mean_seconds", .unit = Unit::seconds, .rank = 1},
                          {.name = "others_mean_error", .unit = Unit::fraction, .heading = "mean of others"},
                          {.name = "largest_stream_seconds", .unit = Unit::seconds, .heading = "largest stream"},
                          {.name = "largest_stream_error", .unit = Unit::fraction, .heading = "its error"}}};
  for (const planner::replay::Unseen& u : m.unseen)
    table.rows.push_back({rank_of(m, u.rank), name_of_step(m, u.rank, u.step), in_seconds(u.measured_ns),
                          in_seconds(u.predicted_ns), error(u.predicted_ns, u.measured_ns),
                          in_seconds(u.others_mean_ns), error(u.others_mean_ns, u.measured_ns),
                          in_seconds(u.largest_stream_ns), error(u.largest_stream_ns, u.measured_ns)});
  return table;
}

Table stream_rows(const Measured& m) {
  Table table{.title = "Streams",
              .columns = {{.name = "rank", .unit = Unit::count},
                          {.name = "device", .unit = Unit::count},
                          {.name = "stream", .unit = Unit::count},
                          {.name = "events", .unit = Unit::count},
                          {.name = "busy_seconds", .unit = Unit::seconds, .heading = "busy"},
                          {.name = "sum_seconds", .unit = Unit::seconds, .heading = "sum"}}};
  for (size_t r = 0; r < m.trace.size(); ++r)
    for (const trace::StreamBusy& s : trace::streams_of(m.trace[r])) {
      const trace::Lane& lane = m.trace[r].lanes[s.lane];
      table.rows.push_back(
          {rank_of(m, r), lane.process, lane.thread, s.events, in_seconds(s.busy_ns), in_seconds(s.sum_ns)});
    }
  return table;
}

}  // namespace cli
