#include "cli/commands/replay.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>

#include "cli/commands/flags.h"
#include "cli/commands/replay_values.h"
#include "cli/commands/whole_file.h"
#include "cli/pages/execution_report.h"
#include "cli/pages/replay_timeline.h"
#include "planner/trace/join.h"
#include "planner/trace/pairing.h"
#include "planner/trace/rank_order.h"
#include "planner/trace/readers.h"
#include "planner/unpack/byte_reader.h"

namespace cli {
namespace {

namespace trace = planner::trace;
namespace replay = planner::replay;

struct ReplayFlags {
  CommonFlags common;
  std::vector<std::string> scale_op;
  double host_speed = 1;
  std::string hosts, timeline;
  bool from_others = false;
  bool no_stragglers = false, perfect_overlap = false;
  bool skip_broken = false;
};
constexpr std::array kReplayRows{
    flag<&ReplayFlags::scale_op>(
        {"--scale-op", "NAME[@RANK]=FACTOR",
         "what if kernels, collectives or host operators of this name took FACTOR of their time; '*' is any text; "
         "repeatable",
         Takes::repeated}),
    flag<&ReplayFlags::host_speed>({"--host-speed", "X", "what if the hosts were X times as fast", Takes::positive}),
    flag<&ReplayFlags::no_stragglers>(
        {"--no-stragglers", "", "what if no rank waited for another in a collective", Takes::nothing}),
    flag<&ReplayFlags::perfect_overlap>(
        {"--perfect-overlap", "", "what if no kernel waited for communication of its own rank", Takes::nothing}),
    flag<&ReplayFlags::from_others>(
        {"--from-others", "",
         "predict each rank from what hosts of the others take, and of one rank each step from its other steps",
         Takes::nothing}),
    flag<&ReplayFlags::hosts>(
        {"--hosts", "RANKS,...", "ranks that share a clock, as 0-7,8-15 (each rank has its own)", Takes::text}),
    flag<&ReplayFlags::timeline>({"--timeline", "FILE",
                                  "writes the replay, with its changes, as events for Perfetto or chrome://tracing",
                                  Takes::text}),
    flag<&ReplayFlags::skip_broken>(
        {"--skip-broken", "", "leave out events and nodes that are broken, and say which", Takes::nothing}),
};
constexpr auto kReplayFlags = plain_flags(kReplayRows);

/// An open file, or standard input.
class File {
 public:
  explicit File(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) wrong_ = std::strerror(errno);
  }
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  /// "" or why it cannot be read.
  const std::string& wrong() const { return wrong_; }
  planner::unpack::Supply bytes() { return planner::unpack::bytes_of(descriptor_, wrong_); }

 private:
  int descriptor_;
  std::string wrong_;
};

// What standard input gives, once.
planner::unpack::Supply bytes_of(std::istream& in) {
  auto piece = std::make_shared<std::string>(size_t{1} << 18, '\0');
  return [&in, piece]() -> std::string_view {
    in.read(piece->data(), static_cast<std::streamsize>(piece->size()));
    return {piece->data(), static_cast<size_t>(in.gcount())};
  };
}

trace::Read read_file(const std::string& path, const ReplayFlags& options, Streams& streams, Session& session) {
  if (path == "-") return trace::read_any({"<stdin>", bytes_of(streams.in)}, options.skip_broken, session.diagnostics);
  File file(path);
  const size_t told = session.diagnostics.list.size();
  trace::Read read;
  std::error_code error;
  const bool regular = std::filesystem::is_regular_file(path, error);
  if (file.is_open())
    read = trace::read_any({path, file.bytes(), regular ? path : ""}, options.skip_broken, session.diagnostics);
  if (file.wrong().empty()) return read;
  session.diagnostics.list.resize(told);  // what could not be read is no trace either
  session.diagnostics.error({}, fmt::format("cannot read '{}': {}", path, file.wrong()));
  return {};
}

/// Puts the clocks in step, where they are not.
trace::Clocks align(const std::vector<size_t>& hosts, trace::Trace& measured) {
  trace::Clocks clocks = trace::align_clocks(measured, trace::match_collectives(measured), hosts);
  if (clocks.before_ns > trace::kInStepNs) trace::shift(measured, clocks);
  else clocks.offsets_ns.assign(measured.size(), 0);
  return clocks;
}

/// The files of a run.
struct Files {
  std::vector<trace::RankTrace> ranks;
  std::vector<trace::Execution> executions;
};

Files read_files(const ReplayFlags& options, Streams& streams, Session& session) {
  Files files;
  for (const std::string& path : options.common.inputs) {
    trace::Read read = read_file(path, options, streams, session);
    std::ranges::move(read.ranks, std::back_inserter(files.ranks));
    if (read.execution) files.executions.push_back(*std::move(read.execution));
  }
  return files;
}

/// Names of files of events, by execution trace; nullopt: which rank they are of cannot be told (diagnosed).
std::optional<std::vector<std::string>> events_of(const Files& files, dsl::Diagnostics& diagnostics) {
  const trace::Pairing pairing = trace::pair_files(files.ranks, files.executions);
  for (const std::string& note : pairing.notes) diagnostics.warning({}, note);
  if (!pairing.wrong.empty())
    return diagnostics.error({}, pairing.wrong, "name for each trace of events one execution trace, in the same order"),
           std::nullopt;
  std::vector<std::string> names;
  for (const uint32_t rank : pairing.rank_of) names.push_back(files.ranks[rank].file);
  return names;
}

/// Joins each execution trace with the events of its rank.
std::vector<JoinedRank> join_files(const std::vector<trace::Execution>& executions,
                                   const std::vector<std::string>& events, const trace::Trace& measured,
                                   dsl::Diagnostics& diagnostics) {
  constexpr double kFew = 0.5;
  std::vector<JoinedRank> all;
  for (size_t i = 0; i < executions.size(); ++i) {
    const auto rank = std::ranges::find(measured, events[i], &trace::RankTrace::file);
    JoinedRank one{.rank = static_cast<size_t>(rank - measured.begin()),
                   .file = executions[i].file,
                   .joined = trace::join(*rank, executions[i])};
    one.tensors = of_events(trace::tensor_dependencies(executions[i]), one.joined);
    one.backward = of_events(trace::backward_dependencies(executions[i]), one.joined);
    for (const trace::JoinedThread& thread : one.joined.threads)
      if (!thread.is_aligned)
        diagnostics.warning({}, fmt::format("thread {} of '{}' is too unlike those of '{}': it was not joined",
                                            thread.thread, one.file, events[i]));
    if (one.joined.share_of_nodes() < kFew)
      diagnostics.warning({},
                          fmt::format("of {} nodes of '{}' only {} are operators of '{}'", one.joined.nodes, one.file,
                                      one.joined.joined, events[i]),
                          "are they of the same program?");
    all.push_back(std::move(one));
  }
  std::ranges::stable_sort(all, {}, &JoinedRank::rank);
  return all;
}

replay::Edits edits_of(const ReplayFlags& options, const trace::Trace& measured, dsl::Diagnostics& diagnostics) {
  replay::Edits edits{.scalings = {},
                      .host_speed = options.host_speed,
                      .no_stragglers = options.no_stragglers,
                      .perfect_overlap = options.perfect_overlap};
  for (const std::string& text : options.scale_op)
    if (const auto scaling = scaling_of(text, measured, diagnostics)) edits.scalings.push_back(*scaling);
  return edits;
}

// What does not fit in the trace, and what nothing in it is named like.
void tell(const Measured& page, const ReplayFlags& options, dsl::Diagnostics& diagnostics) {
  for (const std::string& mistake : page.matched.mistakes) {
    const std::string hint = "--skip-broken leaves out what does not match";
    options.skip_broken ? diagnostics.warning({}, mistake) : diagnostics.error({}, mistake, hint);
  }
  for (const std::string& note : page.matched.notes) diagnostics.warning({}, note);
  if (page.matched.mistakes.empty())  // else they say why
    for (const std::string& note : page.clocks.notes) diagnostics.warning({}, note);
  if (!page.is_replayed())
    diagnostics.error({}, "the collectives of the ranks wait for each other in a circle",
                      "are the files of one run, and of the same steps?");
  for (size_t i = 0; i < page.found.size(); ++i)
    if (page.found[i] == 0)
      diagnostics.error({}, fmt::format("--scale-op '{}': nothing in the trace has this name", options.scale_op[i]),
                        "'*' stands for any text: '*gemm*'");
}

/// A file that cannot be written is a mistake like any other.
void write_timeline(const ReplayFlags& options, const Measured& page, Session& session) {
  if (options.timeline.empty() || session.diagnostics.has_errors()) return;
  WholeFile file(options.timeline);
  std::string wrong = file.open();
  write_replay_timeline(page, [&](std::string_view piece) {
    if (wrong.empty()) wrong = file.write(piece);
  });
  if (wrong.empty()) wrong = file.commit();
  if (!wrong.empty()) session.diagnostics.error({}, wrong);
}

int run_replay(const ReplayFlags& options, Streams& streams) {
  Session session;
  Files files = read_files(options, streams, session);
  if (!session.diagnostics.has_errors() && files.ranks.empty()) {
    if (int status = report_diagnostics(options.common, streams, session)) return status;
    return print(execution_report(files.executions), options.common, streams, "replay");
  }
  std::optional<std::vector<std::string>> events;  // of the execution traces
  if (!session.diagnostics.has_errors()) events = events_of(files, session.diagnostics);
  std::optional<trace::Trace> measured;
  if (!session.diagnostics.has_errors()) measured = trace::order_ranks(std::move(files.ranks), session.diagnostics);
  std::optional<Measured> page;
  if (measured) {
    const replay::Edits edits = edits_of(options, *measured, session.diagnostics);
    const auto hosts = hosts_of(options.hosts, *measured, session.diagnostics);
    if (!session.diagnostics.has_errors()) page.emplace(*measured, align(*hosts, *measured), edits);
    if (page && page->is_replayed() && options.from_others)
      page->unseen = replay::predict_each(page->trace, page->steps, page->replayed);
    if (page) page->joined = join_files(files.executions, *events, *measured, session.diagnostics);
    if (page) tell(*page, options, session.diagnostics);
    if (page) write_timeline(options, *page, session);
  }
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  return print(replay_report(*page), options.common, streams, "replay");
}

}  // namespace

Command replay_command() {
  return {.name = "replay",
          .summary = "measured traces across ranks: who waited for whom, the critical path, what-ifs",
          .argument = "TRACE...",
          .flags = kReplayFlags.flags,
          .function = run_with<kReplayFlags, ReplayFlags, run_replay>};
}

}  // namespace cli
