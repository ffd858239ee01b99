#include "cli/commands/replay_predicted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/input/json_object.h"
#include "dsl/csv.h"
#include "dsl/json.h"
#include "planner/replay/predicted.h"
#include "planner/replay/rebatch.h"
#include "planner/replay/spans.h"

namespace cli {
namespace {

namespace replay = planner::replay;

constexpr size_t kMostBytes = size_t{16} << 20;
constexpr double kMostSeconds = 86400;
constexpr int64_t kUnsaid = std::numeric_limits<int64_t>::min();  // of a rank: when it begins
constexpr const char* kWriteTimes = "`trainplan replay KINETO... --write-times FILE` writes them of a measured run";

/// The rank of a row and when it begins. Diagnosed: none of the run, or one that has a row; no time.
void read_begin(const std::vector<dsl::CsvCell>& row, size_t rank_column, size_t begin_column,
                std::vector<int64_t>& begins_ns, dsl::Diagnostics& diagnostics) {
  const dsl::CsvCell &rank = row[rank_column], &begin = row[begin_column];
  const auto number = dsl::cell_number(rank.text), seconds = dsl::cell_number(begin.text);
  if (!number || *number != std::floor(*number) || *number < 0 || *number >= static_cast<double>(begins_ns.size()))
    return diagnostics.error(rank.span,
                             fmt::format("expected a rank of 0 to {}, got '{}'", begins_ns.size() - 1, rank.text));
  if (!seconds || *seconds < 0 || *seconds > kMostSeconds)
    return diagnostics.error(begin.span, fmt::format("expected seconds, a day at most, got '{}'", begin.text));
  int64_t& begin_ns = begins_ns[static_cast<size_t>(*number)];
  if (begin_ns != kUnsaid)
    return diagnostics.error(rank.span, fmt::format("rank {} has two rows", rank.text), "keep the row of one step");
  begin_ns = std::llround(*seconds * 1e9);
}

/// Returns when each rank begins; empty: all at once.
std::vector<int64_t> begins_of(const std::string& path, size_t ranks, Streams& streams, Session& session) {
  if (path.empty()) return {};
  const dsl::Source* source = read_input(path, streams, session, kMostBytes);
  if (!source) return {};
  const dsl::CsvTable table = dsl::read_csv(*source, session.diagnostics);
  if (session.diagnostics.has_errors()) return {};
  const auto rank = table.column("rank"), begin = table.column("begin_seconds");
  if (!rank || !begin)
    return session.diagnostics.error(table.header.front().span,
                                     fmt::format("no column '{}'", rank ? "begin_seconds" : "rank"),
                                     "`trainplan replay KINETO... --format csv --columns rank,begin_seconds` has both"),
           std::vector<int64_t>{};
  std::vector<int64_t> begins_ns(ranks, kUnsaid);
  for (const auto& row : table.rows) read_begin(row, *rank, *begin, begins_ns, session.diagnostics);
  for (size_t r = 0; r < ranks; ++r)
    if (begins_ns[r] == kUnsaid && !session.diagnostics.has_errors())
      session.diagnostics.error(table.header.front().span, fmt::format("no row of rank {}", r));
  return begins_ns;
}

void rebatch_all(std::vector<planner::trace::Execution>& executions, int64_t to, int64_t ranks,
                 dsl::Diagnostics& diagnostics) {
  for (planner::trace::Execution& each : executions) {
    const int64_t batch = replay::batch_of(each);
    if (batch == 0)
      diagnostics.error({}, fmt::format("--batch: '{}' has no layer that says its batch", each.file),
                        "expected aten::linear, aten::addmm or a convolution with shapes");
    else if (const std::string wrong = replay::rebatch(each, batch, to, ranks); !wrong.empty())
      diagnostics.error({}, "--batch: " + wrong);
  }
}

constexpr const char* kWritten = "`trainplan shard TABLES ... --format json` writes such a file";

replay::Sharding read_best(const JsonObject& sharder, size_t ranks) {
  replay::Sharding sharding;
  for (const dsl::Node& each : sharder.list("lookup_seconds_per_rank")) {
    const double seconds = json_number(each).value_or(-1);
    if (!(seconds >= 0 && seconds <= replay::kMostKernelSeconds))
      sharder.wrong(each.span, fmt::format("expected seconds from 0 to {:.0f}", replay::kMostKernelSeconds));
    sharding.lookup_seconds.push_back(seconds);
  }
  if (sharding.lookup_seconds.size() != ranks)
    sharder.wrong(sharder.place("lookup_seconds_per_rank"),
                  fmt::format("the tables are on {} ranks, and there are execution traces of {}",
                              sharding.lookup_seconds.size(), ranks));
  const double bytes = sharder.number("message_bytes");
  if (!(bytes >= 0 && bytes <= 1e18)) sharder.wrong(sharder.place("message_bytes"), "expected bytes from 0 to 1e18");
  if (sharder.good()) sharding.message_bytes = std::llround(bytes);
  return sharding;
}

/// Returns the best placement of a file that `trainplan shard --format json` printed; nullopt: it has none, or is of
/// another number of ranks (diagnosed).
std::optional<replay::Sharding> sharding_of(const std::string& path, size_t ranks, Streams& streams, Session& session) {
  const dsl::Source* source = read_input(path, streams, session, dsl::kWrittenLimits.bytes);
  if (!source) return std::nullopt;
  const dsl::Node root = dsl::parse_json(*source, session.diagnostics, dsl::kWrittenLimits);
  if (session.diagnostics.has_errors()) return std::nullopt;
  const JsonObject top(root, session.diagnostics);
  if (root.kind != dsl::Node::Kind::map || !top.has("sharders"))
    return session.diagnostics.error(root.span, "expected placements of tables", kWritten), std::nullopt;
  const std::string best = top.text("best");
  for (const dsl::Node& each : top.list("sharders")) {
    const JsonObject sharder(each, session.diagnostics);
    if (sharder.text("name") != best) continue;
    replay::Sharding sharding = read_best(sharder, ranks);
    return session.diagnostics.has_errors() ? std::nullopt : std::optional(std::move(sharding));
  }
  top.wrong(top.place("best"), fmt::format("no sharder is called '{}'", best), kWritten);
  return std::nullopt;
}

bool asks_of_executions(const ReplayFiles& files, const ReplayMachineFlags& machines) {
  return (!machines.on.empty() || !machines.from.empty()) && files.ranks.empty() && !files.executions.empty();
}

}  // namespace

void tell_of_prediction(const PredictionFlags& flags, bool is_predicted, dsl::Diagnostics& diagnostics) {
  constexpr const char* kOfWhat = "give execution traces with shapes alone, and --on MACHINE";
  if (is_predicted) return;
  if (!flags.begins.empty()) diagnostics.error({}, "--begins works with predicted ranks alone", kOfWhat);
  if (!flags.tables.empty()) diagnostics.error({}, "--tables works with predicted ranks alone", kOfWhat);
  if (flags.batch) diagnostics.error({}, "--batch works with predicted ranks alone", kOfWhat);
}

bool is_predicted(const ReplayFiles& files, const ReplayMachineFlags& machines) {
  return asks_of_executions(files, machines) && std::ranges::all_of(files.executions, replay::has_shapes);
}

void tell_of_shapes(const ReplayFiles& files, const ReplayMachineFlags& machines, dsl::Diagnostics& diagnostics) {
  if (!asks_of_executions(files, machines) || std::ranges::none_of(files.executions, replay::has_shapes)) return;
  for (const planner::trace::Execution& each : files.executions)
    if (!replay::has_shapes(each))
      diagnostics.error({}, fmt::format("'{}' has no shapes of its operators' inputs, and others have", each.file),
                        "a run is predicted where each of its files has them");
}

std::vector<planner::trace::RankTrace> predicted_ranks(std::vector<planner::trace::Execution>& executions,
                                                       const operator_models::Machine& machine,
                                                       const std::optional<replay::Statistics>& times,
                                                       const PredictionFlags& flags, Streams& streams,
                                                       Session& session) {
  dsl::Diagnostics& diagnostics = session.diagnostics;
  if (flags.ranks && *flags.ranks < std::ssize(executions))
    diagnostics.error({}, fmt::format("--ranks {}: there are execution traces of {}", *flags.ranks, executions.size()));
  if (times && replay::Spans(*times).empty())
    diagnostics.error({}, "--times: the files have no rows of kind 'span'", kWriteTimes);
  if (!times)
    diagnostics.warning({}, "without --times hosts take no time: a step is what devices and the network take at least",
                        kWriteTimes);
  if (flags.batch) rebatch_all(executions, *flags.batch, flags.ranks.value_or(std::ssize(executions)), diagnostics);
  const std::vector<int64_t> begins_ns = begins_of(flags.begins, executions.size(), streams, session);
  const auto sharding =
      flags.tables.empty() ? std::nullopt : sharding_of(flags.tables, executions.size(), streams, session);
  if (diagnostics.has_errors()) return {};
  replay::PredictedTrace predicted =
      replay::predict(executions, {.machine = &machine, .ranks = flags.ranks}, times ? *times : replay::Statistics(),
                      begins_ns, sharding ? &*sharding : nullptr);
  for (const std::string& wrong : predicted.wrong) diagnostics.error({}, wrong);
  if (times && predicted.unlike > 0)
    diagnostics.warning({},
                        fmt::format("--times: of {} times within operators {} are like none of the files: they take "
                                    "none",
                                    predicted.spans, predicted.unlike));
  return std::move(predicted.ranks);
}

ReplayMachineFlags measured_on_it(const ReplayMachineFlags& machines) {
  return {.from = machines.on.empty() ? machines.from : machines.on, .on = {}, .ranks = {}};
}

}  // namespace cli
