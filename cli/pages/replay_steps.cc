// Steps of ranks.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "cli/pages/replay_report.h"
#include "cli/report/row_fields.h"
#include "planner/trace/steps.h"

namespace cli {
namespace {

namespace trace = planner::trace;
using planner::replay::Run;
using planner::replay::StepAccount;

double error_of(int64_t replayed, int64_t measured) {
  return measured > 0 ? static_cast<double>(replayed - measured) / static_cast<double>(measured) : 0;
}

struct RankStep {
  const Measured& m;
  size_t rank, at;

  const trace::Step& step() const { return m.steps[rank][at]; }
  const StepAccount& account() const { return m.accounts[rank][at]; }
  std::string name() const { return step().is_marked() ? step().name : "whole trace"; }
};

std::vector<RankStep> steps_of(const Measured& m) {
  std::vector<RankStep> steps;
  for (size_t r = 0; r < m.trace.size(); ++r)
    for (size_t s = 0; s < m.steps[r].size(); ++s) steps.push_back({m, r, s});
  return steps;
}

auto account_seconds(int64_t StepAccount::*ns) {
  return [ns](const RankStep& s) { return in_seconds(s.account().*ns); };
}
auto idle_seconds(int64_t planner::replay::Idle::*ns) {
  return [ns](const RankStep& s) { return in_seconds(s.account().idle.*ns); };
}
auto launched_seconds(int64_t trace::Busy::*ns) {
  return [ns](const RankStep& s) { return in_seconds(s.step().launched.*ns); };
}

/// When the first rank began.
int64_t first_begin(const Measured& m) {
  int64_t first = std::numeric_limits<int64_t>::max();
  for (const std::vector<trace::Step>& steps : m.steps)
    if (!steps.empty()) first = std::min(first, steps.front().window.begin_ns);
  return first;
}

/// null: the end of the run does not wait for it. A trace without steps begins with whatever comes first.
Data slack_of(const RankStep& s) {
  const Measured& m = s.m;
  int64_t slack = m.slacks[m.replayed.steps[s.rank][s.at].begin];
  if (!s.step().is_marked())
    for (const planner::replay::EventNodes& nodes : m.replayed.events[s.rank])
      if (nodes.first != Run::kNone) slack = std::min(slack, m.slacks[nodes.first]);
  return slack < planner::replay::kFree ? Data(in_seconds(slack)) : Data();
}

Data changed_of(const RankStep& s) {
  return s.m.changed.empty() ? Data() : Data(in_seconds(s.m.changed_ns[s.rank][s.at]));
}

/// A part of steps, and what all of them spent in it.
struct PartSum {
  const char* part;
  int64_t (*of)(const StepAccount&);
  int64_t ns = 0, most_ns = 0;
  size_t rank = 0;  // of the most
};
constexpr PartSum kParts[] = {
    {"computation", [](const StepAccount& a) { return a.compute_ns; }},
    {"communication", [](const StepAccount& a) { return a.communication_ns; }},
    {"copies", [](const StepAccount& a) { return a.copies_ns; }},
    {"overlaps of these", [](const StepAccount& a) { return -a.overlaps_ns; }},
    {"idle, host-bound", [](const StepAccount& a) { return a.idle.host_ns; }},
    {"idle, gaps of the device", [](const StepAccount& a) { return a.idle.gap_ns; }},
    {"idle, unexplained", [](const StepAccount& a) { return a.idle.unexplained_ns; }},
    {"step", [](const StepAccount& a) { return a.step_ns; }},
};

}  // namespace

Table rank_rows(const Measured& m) {
  const auto replayed = [](const RankStep& s) { return s.m.lengths[s.rank][s.at]; };
  const auto waits = [](const RankStep& s) { return waited_in(s.m.trace, s.m.matched, s.rank, s.step().window); };
  const auto began = [first = first_begin(m)](const RankStep& s) { return s.step().window.begin_ns - first; };
  const RowFields<RankStep> fields{
      {"rank", rank_in(m), Unit::count},
      {"step", &RankStep::name, Unit::text, "", 5},
      {"measured_seconds", account_seconds(&StepAccount::step_ns), Unit::seconds, "step time"},
      {"replayed_seconds", seconds_of(replayed), Unit::seconds, "replayed", 4},
      {"error", [&](auto& s) { return error_of(replayed(s), s.account().step_ns); }, Unit::fraction, "", 5},
      {"changed_seconds", changed_of, Unit::seconds, "changed"},
      {"begin_seconds", seconds_of(began), Unit::seconds, "began", 3},
      {"slack_seconds", slack_of, Unit::seconds, "slack", 1},
      {"device_seconds", launched_seconds(&trace::Busy::window_ns), Unit::seconds, "device", 6},
      {"busy_seconds", [](auto& s) { return in_seconds(s.step().ran.busy_ns); }, Unit::seconds, "busy", 3},
      {"compute_seconds", account_seconds(&StepAccount::compute_ns), Unit::seconds, "compute"},
      {"communication_seconds", account_seconds(&StepAccount::communication_ns), Unit::seconds, "comm"},
      {"memory_seconds", account_seconds(&StepAccount::copies_ns), Unit::seconds, "copies", 7},
      {"overlaps_seconds", account_seconds(&StepAccount::overlaps_ns), Unit::seconds, "overlaps", 7},
      {"overlap_ratio", [](auto& s) { return s.step().ran.overlap_ratio(); }, Unit::fraction, "hidden", 4},
      {"exposed_communication_seconds", [](auto& s) { return in_seconds(s.step().ran.exposed_ns); }, Unit::seconds,
       "exposed", 2},
      {"waiting_for_ranks_seconds", seconds_of(waits), Unit::seconds, "rank waits"},
      {"idle_seconds", account_seconds(&StepAccount::idle_ns), Unit::seconds, "idle", 1},
      {"host_bound_seconds", idle_seconds(&planner::replay::Idle::host_ns), Unit::seconds, "host-bound", 1},
      {"device_gap_seconds", idle_seconds(&planner::replay::Idle::gap_ns), Unit::seconds, "gaps", 8},
      {"unexplained_seconds", idle_seconds(&planner::replay::Idle::unexplained_ns), Unit::seconds, "unexplained", 2},
      {"step_of", [](auto& s) { return s.step().of_device ? "device" : "host"; }, Unit::text, "step of", 6},
  };
  return fields.table(steps_of(m), "Ranks");
}

Table launched_rows(const Measured& m) {
  const RowFields<RankStep> fields{
      {"rank", rank_in(m), Unit::count},
      {"step", &RankStep::name},
      {"device_seconds", launched_seconds(&trace::Busy::window_ns), Unit::seconds},
      {"busy_seconds", launched_seconds(&trace::Busy::busy_ns), Unit::seconds},
      {"compute_seconds", launched_seconds(&trace::Busy::compute_ns), Unit::seconds},
      {"communication_seconds", launched_seconds(&trace::Busy::communication_ns), Unit::seconds},
      {"memory_seconds", launched_seconds(&trace::Busy::memory_ns), Unit::seconds},
      {"overlap_ratio", [](auto& s) { return s.step().launched.overlap_ratio(); }, Unit::fraction},
      {"exposed_communication_seconds", launched_seconds(&trace::Busy::exposed_ns), Unit::seconds},
  };
  return fields.table(steps_of(m), "Launched");
}

Table unseen_rows(const Measured& m) {
  using planner::replay::Unseen;
  const auto error = [](int64_t Unseen::*ns) {
    return [ns](const Unseen& u) { return error_of(u.*ns, u.measured_ns); };
  };
  const RowFields<Unseen> fields{
      {"rank", rank_in(m), Unit::count},
      {"step",
       [&](auto& u) {
         return RankStep{m, u.rank, u.step}.name();
       },
       Unit::text, "", 2},
      {"measured_seconds", seconds_of(&Unseen::measured_ns), Unit::seconds, "measured"},
      {"predicted_seconds", seconds_of(&Unseen::predicted_ns), Unit::seconds, "predicted"},
      {"error", error(&Unseen::predicted_ns), Unit::fraction},
      {"others_mean_seconds", seconds_of(&Unseen::others_mean_ns), Unit::seconds, "", 1},
      {"others_mean_error", error(&Unseen::others_mean_ns), Unit::fraction, "mean of others"},
      {"largest_stream_seconds", seconds_of(&Unseen::largest_stream_ns), Unit::seconds, "largest stream"},
      {"largest_stream_error", error(&Unseen::largest_stream_ns), Unit::fraction, "its error"},
  };
  return fields.table(m.unseen, "From the others");
}

Table stream_rows(const Measured& m) {
  struct RankStream {
    size_t rank;
    trace::StreamBusy busy;
    const trace::Lane& lane;
  };
  std::vector<RankStream> streams;
  for (size_t r = 0; r < m.trace.size(); ++r)
    for (const trace::StreamBusy& s : trace::streams_of(m.trace[r]))
      streams.push_back({r, s, m.trace[r].lanes[s.lane]});
  const RowFields<RankStream> fields{
      {"rank", rank_in(m), Unit::count},
      {"device", [](auto& s) { return s.lane.process; }, Unit::count},
      {"stream", [](auto& s) { return s.lane.thread; }, Unit::count},
      {"events", [](auto& s) { return s.busy.events; }, Unit::count},
      {"busy_seconds", [](auto& s) { return in_seconds(s.busy.busy_ns); }, Unit::seconds, "busy"},
      {"sum_seconds", [](auto& s) { return in_seconds(s.busy.sum_ns); }, Unit::seconds, "sum"},
  };
  return fields.table(streams, "Streams");
}

Table account_rows(const Measured& m) {
  double steps = 0, whole = 0;
  for (const std::vector<StepAccount>& rank : m.accounts)
    for (const StepAccount& account : rank) ++steps, whole += in_seconds(account.step_ns);
  std::vector<PartSum> sums;
  if (steps > 0) sums.assign(std::begin(kParts), std::end(kParts));
  for (PartSum& sum : sums)
    for (size_t r = 0; r < m.accounts.size(); ++r)
      for (const StepAccount& account : m.accounts[r]) {
        const int64_t ns = sum.of(account);
        sum.ns += ns;
        if (std::abs(ns) > std::abs(sum.most_ns)) sum.most_ns = ns, sum.rank = r;
      }
  const RowFields<PartSum> fields{
      {"part", &PartSum::part},
      {"seconds", [&](auto& s) { return in_seconds(s.ns) / steps; }, Unit::seconds, "time"},
      {"share", [&](auto& s) { return whole > 0 ? in_seconds(s.ns) / whole : 0; }, Unit::fraction, "of the step"},
      {"longest_seconds", seconds_of(&PartSum::most_ns), Unit::seconds, "most"},
      {"longest_rank", [&](auto& s) { return s.most_ns == 0 ? Data() : Data(rank_of(m, s.rank)); }, Unit::count,
       "on rank"},
  };
  return fields.table(sums, "Where the steps went");
}

std::vector<std::string> window_lines(const Measured& m) {
  int64_t behind = 0;
  size_t ranks = 0;
  for (const std::vector<trace::Step>& steps : m.steps) {
    if (steps.empty() || !steps.front().of_device) continue;
    behind = std::max(behind, trace::behind_ns(steps));
    ++ranks;
  }
  if (ranks == 0) return {};
  const std::string whose = m.steps.size() == 1       ? "The device runs"
                            : ranks == m.steps.size() ? "The devices run"
                                                      : fmt::format("The devices of {} ranks run", ranks);
  return {fmt::format("{} up to {} behind the host: a step is the device's, from the end of the one before to its own.",
                      whose, figure(in_seconds(behind), Unit::seconds))};
}

}  // namespace cli
