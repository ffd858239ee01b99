#include "cli/pages/replay_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "cli/pages/replay_against.h"
#include "cli/pages/replay_picture.h"
#include "cli/pages/replay_priced.h"
#include "planner/replay/idle.h"

namespace cli {
namespace {

namespace trace = planner::trace;
using planner::replay::PathPiece;
using planner::replay::Run;

double seconds(int64_t ns) { return static_cast<double>(ns) * 1e-9; }

int64_t rank_of(const Measured& m, size_t at) { return *m.trace[at].rank; }

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
    if (!steps.empty()) first = std::min(first, trace::period_of(steps, 0).begin_ns);
  return first;
}

/// null: the end of the run does not wait for it. A trace without steps begins with whatever comes first.
Data slack_of(const Measured& m, size_t rank, size_t at) {
  int64_t slack = m.slacks[m.replayed.steps[rank][at].begin];
  if (!m.steps[rank][at].is_marked())
    for (const planner::replay::EventNodes& nodes : m.replayed.events[rank])
      if (nodes.first != Run::kNone) slack = std::min(slack, m.slacks[nodes.first]);
  return slack < planner::replay::kFree ? Data(seconds(slack)) : Data();
}

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
                  {.name = "overlap_ratio", .unit = Unit::fraction, .rank = 4, .heading = "hidden"},
                  {.name = "exposed_communication_seconds", .unit = Unit::seconds, .rank = 2, .heading = "exposed"},
                  {.name = "waiting_for_ranks_seconds", .unit = Unit::seconds, .heading = "rank waits"},
                  {.name = "idle_seconds", .unit = Unit::seconds, .rank = 1, .heading = "idle"},
                  {.name = "host_bound_seconds", .unit = Unit::seconds, .rank = 1, .heading = "host-bound"},
                  {.name = "unexplained_seconds", .unit = Unit::seconds, .rank = 8, .heading = "unknown"}}};
  const int64_t first = first_begin(m);
  for (size_t r = 0; r < m.trace.size(); ++r)
    for (size_t s = 0; s < m.steps[r].size(); ++s) {
      const trace::Step& step = m.steps[r][s];
      const trace::Busy& busy = step.launched;
      const planner::replay::Idle idle = planner::replay::idle_of(step, r, m.replayed, m.runs);
      const trace::Interval period = trace::period_of(m.steps[r], s);
      const auto replayed_in = [&](const std::vector<Run>& runs) { return period_ns(m.replayed.steps[r], s, runs); };
      const int64_t measured = period.end_ns - period.begin_ns, replayed = replayed_in(m.runs);
      table.rows.push_back(
          {rank_of(m, r), name_of_step(m, r, s), seconds(measured), seconds(replayed), error(replayed, measured),
           m.changed.empty() ? Data() : Data(seconds(replayed_in(m.changed))), seconds(period.begin_ns - first),
           slack_of(m, r, s), seconds(busy.window_ns), seconds(busy.busy_ns), seconds(busy.compute_ns),
           seconds(busy.communication_ns), seconds(busy.memory_ns), busy.overlap_ratio(), seconds(busy.exposed_ns),
           seconds(trace::waited_in(m.matched, r, step)), seconds(busy.idle_ns()), seconds(idle.host_ns),
           seconds(idle.unexplained_ns)});
    }
  return table;
}

Table collective_rows(const Measured& m) {
  Table table{.title = "Collectives",
              .columns = {{.name = "index", .unit = Unit::count, .heading = "#"},
                          {.name = "name"},
                          {.name = "group", .rank = 3},
                          {.name = "ranks", .unit = Unit::count},
                          {.name = "bytes", .unit = Unit::bytes, .rank = 2},
                          {.name = "transfer_seconds", .unit = Unit::seconds, .heading = "transfer"},
                          {.name = "longest_wait_seconds", .unit = Unit::seconds, .rank = 1, .heading = "longest wait"},
                          {.name = "last_rank", .unit = Unit::count, .heading = "last rank"}}};
  for (size_t i = 0; i < m.matched.collectives.size(); ++i) {
    const trace::Collective& c = m.matched.collectives[i];
    const bool alone = c.parts.size() == 1;
    const int64_t longest = std::ranges::max(c.parts, {}, &trace::Collective::Part::wait_ns).wait_ns;
    table.rows.push_back({static_cast<int64_t>(i + 1), c.name, c.group.empty() ? Data() : Data(c.group),
                          static_cast<int64_t>(c.parts.size()), c.bytes < 0 ? Data() : Data(c.bytes),
                          seconds(c.transfer_ns), alone ? Data() : Data(seconds(longest)),
                          alone ? Data() : Data(rank_of(m, c.parts[c.last].rank))});
  }
  add_predictions(m.priced, m.matched, table);
  return table;
}

/// Whom each rank waited for, longest first.
Table wait_rows(const Measured& m) {
  Table table{.title = "Waits",
              .columns = {{.name = "rank", .unit = Unit::count},
                          {.name = "for_rank", .unit = Unit::count, .heading = "for rank"},
                          {.name = "seconds", .unit = Unit::seconds, .heading = "time"}}};
  for (size_t r = 0; r < m.waits.size(); ++r) {
    std::vector<size_t> others;
    for (size_t o = 0; o < m.waits.size(); ++o)
      if (m.waits[r][o] > 0) others.push_back(o);
    std::ranges::stable_sort(others, std::greater(), [&](size_t o) { return m.waits[r][o]; });
    for (size_t o : others) table.rows.push_back({rank_of(m, r), rank_of(m, o), seconds(m.waits[r][o])});
  }
  return table;
}

/// By what the clocks were put forward.
Table clock_rows(const Measured& m) {
  Table table{.title = "Clocks",
              .columns = {{.name = "rank", .unit = Unit::count},
                          {.name = "offset_seconds", .unit = Unit::seconds, .heading = "put forward by"}}};
  for (size_t r = 0; r < m.trace.size(); ++r) table.rows.push_back({rank_of(m, r), seconds(m.clocks.offsets_ns[r])});
  return table;
}

std::string clock_line(const Measured& m) {
  const std::string before = figure(seconds(m.clocks.before_ns), Unit::seconds);
  const bool pulls = std::ranges::all_of(m.matched.collectives, [](const trace::Collective& each) {
    return each.kind == trace::CollectiveKind::push_pull;
  });
  return fmt::format("The clocks were put in step: {}, now {}.",
                     pulls ? fmt::format("PULLs ended up to {} before the last PUSH of their round", before)
                           : fmt::format("ends of collectives were up to {} from their mean", before),
                     figure(seconds(m.clocks.after_ns), Unit::seconds));
}

/// The critical path, piece by piece; times from its begin.
Table path_rows(const Measured& m) {
  Table table{.title = "Critical path",
              .columns = {{.name = "rank", .unit = Unit::count},
                          {.name = "kind"},
                          {.name = "name"},
                          {.name = "begin_seconds", .unit = Unit::seconds, .rank = 1, .heading = "from"},
                          {.name = "seconds", .unit = Unit::seconds, .heading = "time"}}};
  for (const PathPiece& piece : m.path)
    table.rows.push_back({rank_of(m, piece.rank), name_of(piece.piece), std::string(piece.name),
                          seconds(piece.begin_ns - m.path.front().begin_ns), seconds(piece.seconds_ns)});
  return table;
}

/// Its largest parts.
Table path_shares(const Measured& m) {
  constexpr size_t kMost = 10;
  Table table{.title = "Critical path",
              .columns = {{.name = "rank", .unit = Unit::count},
                          {.name = "kind"},
                          {.name = "name"},
                          {.name = "seconds", .unit = Unit::seconds, .heading = "time"},
                          {.name = "share", .unit = Unit::fraction, .heading = "of the path"}}};
  int64_t all = 0;
  for (const PathPiece& piece : m.path) all += piece.seconds_ns;
  std::vector<PathPiece> parts = planner::replay::summed(m.path);
  parts.resize(std::min(parts.size(), kMost));
  for (const PathPiece& part : parts)
    table.rows.push_back({rank_of(m, part.rank), name_of(part.piece), std::string(part.name), seconds(part.seconds_ns),
                          static_cast<double>(part.seconds_ns) / static_cast<double>(all)});
  return table;
}

/// Ranks, or steps, as others predict them.
Table unseen_rows(const Measured& m) {
  Table table{.title = "From the others",
              .columns = {{.name = "rank", .unit = Unit::count},
                          {.name = "step", .rank = 2},
                          {.name = "measured_seconds", .unit = Unit::seconds, .heading = "measured"},
                          {.name = "predicted_seconds", .unit = Unit::seconds, .heading = "predicted"},
                          {.name = "error", .unit = Unit::fraction},
                          {.name = "largest_stream_seconds", .unit = Unit::seconds, .heading = "largest stream"},
                          {.name = "largest_stream_error", .unit = Unit::fraction, .heading = "its error"}}};
  for (const planner::replay::Unseen& u : m.unseen)
    table.rows.push_back({rank_of(m, u.rank), name_of_step(m, u.rank, u.step), seconds(u.measured_ns),
                          seconds(u.predicted_ns), error(u.predicted_ns, u.measured_ns), seconds(u.largest_stream_ns),
                          error(u.largest_stream_ns, u.measured_ns)});
  return table;
}

/// How many begin before what they need has ended.
int64_t contradicted(const trace::RankTrace& rank, const std::vector<trace::Dependency>& dependencies) {
  return std::ranges::count_if(dependencies, [&](const trace::Dependency& each) {
    return rank.events[each.to].start_ns < rank.events[each.from].end_ns();
  });
}

/// What of execution traces was found among the events.
Table joined_rows(const Measured& m) {
  Table table{.title = "Execution traces",
              .columns = {{.name = "rank", .unit = Unit::count},
                          {.name = "file", .rank = 4},
                          {.name = "nodes", .unit = Unit::count},
                          {.name = "operators", .unit = Unit::count},
                          {.name = "joined", .unit = Unit::count},
                          {.name = "share", .unit = Unit::fraction, .heading = "of the nodes"},
                          {.name = "shapes", .unit = Unit::count, .rank = 2, .heading = "with shapes"},
                          {.name = "equal_shapes", .unit = Unit::count, .rank = 1, .heading = "equal shapes"},
                          {.name = "tensor_dependencies", .unit = Unit::count, .rank = 3, .heading = "by tensors"},
                          {.name = "backward_dependencies", .unit = Unit::count, .rank = 3, .heading = "backward"},
                          {.name = "contradicted", .unit = Unit::count, .rank = 3}}};
  for (const planner::replay::JoinedRank& each : m.joined) {
    const trace::Joined& j = each.joined;
    const trace::RankTrace& rank = m.trace[each.rank];
    table.rows.push_back({rank_of(m, each.rank), each.file, j.nodes, j.operators, j.joined, j.share_of_nodes(),
                          j.shapes, j.equal_shapes, std::ssize(each.tensors), std::ssize(each.backward),
                          contradicted(rank, each.tensors) + contradicted(rank, each.backward)});
  }
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
      table.rows.push_back({rank_of(m, r), lane.process, lane.thread, s.events, seconds(s.busy_ns), seconds(s.sum_ns)});
    }
  return table;
}

std::string counted(size_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

std::string replay_headline(const Measured& m) {
  std::set<std::string> devices;
  size_t events = 0, steps = 0;
  for (size_t r = 0; r < m.trace.size(); ++r) {
    if (!m.trace[r].device.empty()) devices.insert(m.trace[r].device);
    events += m.trace[r].events.size();
    steps = std::max(steps, m.steps[r].size());
  }
  const int64_t size = m.trace.front().world_size.value_or(static_cast<int64_t>(m.trace.size()));
  const std::string ranks = static_cast<int64_t>(m.trace.size()) == size
                                ? counted(m.trace.size(), "rank")
                                : fmt::format("{} of {} ranks", m.trace.size(), size);
  return fmt::format("{}{}{}, {}, {}", ranks, devices.empty() ? "" : " of ", fmt::join(devices, ", "),
                     counted(steps, "step"), counted(events, "event"));
}

/// The table without one of its columns.
Table without(const char* name, Table table) {
  const auto column = std::ranges::find(table.columns, name, &Column::name);
  const auto at = column - table.columns.begin();
  table.columns.erase(column);
  for (std::vector<Data>& row : table.rows) row.erase(row.begin() + at);
  return table;
}

/// On the page: without changes nothing is changed, and a replay without them is what was measured.
Table shown_ranks(const Measured& m, Table ranks) {
  if (m.changed.empty()) ranks = without("changed_seconds", std::move(ranks));
  return without("error", without("replayed_seconds", std::move(ranks)));
}

}  // namespace

Report replay_report(const Measured& m) {
  const Table ranks = rank_rows(m), collectives = collective_rows(m), waits = wait_rows(m);
  Report report{.format = "trainplan.replay/1",
                .document = {},
                .key = "ranks",
                .table = ranks,
                .text = {replay_headline(m), shown_ranks(m, ranks), path_shares(m)},
                .picture = [&m] { return replay_bars(m); },
                .graph = {},
                .complete =
                    [&m](Report& whole) {
                      whole.document = {{"ranks", rows_of(whole.table)},
                                        {"clocks", rows_of(clock_rows(m))},
                                        {"unseen", rows_of(unseen_rows(m))},
                                        {"collectives", rows_of(collective_rows(m))},
                                        {"waits", rows_of(wait_rows(m))},
                                        {"streams", rows_of(stream_rows(m))},
                                        {"critical_path", rows_of(path_rows(m))},
                                        {"scaled", rows_of(scaled_rows(m.priced))},
                                        {"execution_traces", rows_of(joined_rows(m))},
                                        {"against", rows_of(pair_rows(m.against))},
                                        {"against_sums", rows_of(work_rows(m.against))}};
                    }};
  const bool shifted = std::ranges::any_of(m.clocks.offsets_ns, [](int64_t ns) { return ns != 0; });
  if (shifted) report.text.insert(report.text.begin() + 1, {clock_line(m), clock_rows(m)});
  if (!m.unseen.empty()) report.text.emplace_back(unseen_rows(m));
  if (!m.joined.empty()) report.text.emplace_back(joined_rows(m));
  if (!waits.rows.empty()) report.text.emplace_back(waits);
  if (const Table scaled = scaled_rows(m.priced); !scaled.rows.empty()) report.text.emplace_back(scaled);
  for (Block& block : against_blocks(m.against)) report.text.push_back(std::move(block));
  const bool predicts = !m.priced.collectives.empty();
  if (!collectives.rows.empty())
    report.text.emplace_back(predicts ? collectives
                                      : without("predicted_seconds", without("predicted_ratio", collectives)));
  for (const std::string& line : prediction_lines(m.priced, m.matched, m.unpriced)) report.text.emplace_back(line);
  return report;
}

}  // namespace cli
