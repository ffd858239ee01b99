#include "cli/commands/replay.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <memory>

#include "cli/commands/flags.h"
#include "cli/pages/replay_report.h"
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
  std::string hosts;
  bool from_others = false;
  bool no_stragglers = false, perfect_overlap = false;
  bool skip_broken = false;
};
constexpr std::array kOwn{
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
    flag<&ReplayFlags::skip_broken>(
        {"--skip-broken", "", "leave out events that are broken, and say which", Takes::nothing}),
};
constexpr auto kFlags = plain_flags(kOwn);

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

std::optional<trace::RankTrace> read_file(const std::string& path, const ReplayFlags& options, Streams& streams,
                                          Session& session) {
  if (path == "-") return trace::read_rank({"<stdin>", bytes_of(streams.in)}, options.skip_broken, session.diagnostics);
  File file(path);
  const size_t told = session.diagnostics.list.size();
  std::optional<trace::RankTrace> rank;
  if (file.is_open()) rank = trace::read_rank({path, file.bytes()}, options.skip_broken, session.diagnostics);
  if (file.wrong().empty()) return rank;
  session.diagnostics.list.resize(told);  // what could not be read is no trace either
  session.diagnostics.error({}, fmt::format("cannot read '{}': {}", path, file.wrong()));
  return std::nullopt;
}

/// By rank of the trace, the number of its host: "0-3,4-7", every other rank alone. nullopt: it says something else
/// (diagnosed).
std::optional<std::vector<size_t>> hosts_of(const std::string& text, const trace::Trace& measured,
                                            dsl::Diagnostics& diagnostics) {
  std::map<int64_t, size_t> host_of;
  size_t count = 0;
  const char *at = text.data(), *const end = at + text.size();
  while (at < end) {
    int64_t first = 0, last = 0;
    std::from_chars_result read = std::from_chars(at, end, first);
    last = first;
    if (read.ec == std::errc() && read.ptr < end && *read.ptr == '-') read = std::from_chars(read.ptr + 1, end, last);
    const char* next = read.ptr;
    const bool good = read.ec == std::errc() && (next == end || (*next == ',' && next + 1 < end)) && first >= 0 &&
                      first <= last && last - first < 1'000'000;
    if (!good) break;
    for (int64_t rank = first; rank <= last; ++rank) host_of.try_emplace(rank, count);
    ++count;
    at = next == end ? end : next + 1;
  }
  if (at < end) {
    diagnostics.error({}, fmt::format("--hosts '{}': expected ranks of each host, joined by commas", text),
                      "--hosts 0-7,8-15");
    return std::nullopt;
  }
  std::vector<size_t> hosts;
  for (const trace::RankTrace& rank : measured) {
    const auto host = host_of.find(*rank.rank);
    hosts.push_back(host == host_of.end() ? count++ : host->second);
  }
  return hosts;
}

/// Puts the clocks in step, where they are not.
trace::Clocks align(const std::vector<size_t>& hosts, trace::Trace& measured) {
  trace::Clocks clocks = trace::align_clocks(measured, trace::match_collectives(measured), hosts);
  if (clocks.before_ns > trace::kInStepNs) trace::shift(measured, clocks);
  else clocks.offsets_ns.assign(measured.size(), 0);
  return clocks;
}

std::optional<trace::Trace> read_files(const ReplayFlags& options, Streams& streams, Session& session) {
  std::vector<trace::RankTrace> ranks;
  for (const std::string& path : options.common.inputs)
    if (std::optional<trace::RankTrace> rank = read_file(path, options, streams, session))
      ranks.push_back(*std::move(rank));
  if (session.diagnostics.has_errors()) return std::nullopt;
  return trace::order_ranks(std::move(ranks), session.diagnostics);
}

/// NAME[@RANK]=FACTOR; nullopt: it is none (diagnosed).
std::optional<replay::Scaling> scaling_of(const std::string& text, const trace::Trace& measured,
                                          dsl::Diagnostics& diagnostics) {
  const auto refuse = [&](const std::string& message, const std::string& hint) {
    diagnostics.error({}, fmt::format("--scale-op '{}': {}", text, message), hint);
    return std::nullopt;
  };
  constexpr const char* kExample =
      "--scale-op 'aten::mm=0.5' halves an operator, '*gemm*@3=2' doubles kernels of rank 3";
  const size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) return refuse("expected NAME=FACTOR", kExample);
  double factor = 0;
  const auto [end, error] = std::from_chars(text.data() + equals + 1, text.data() + text.size(), factor);
  const bool good = error == std::errc() && end == text.data() + text.size() && factor >= 0 && factor <= 1e6;
  if (!good) return refuse("expected a factor of 0 to 1e6 behind '='", kExample);
  replay::Scaling scaling{.pattern = text.substr(0, equals), .factor = factor};
  const size_t at = scaling.pattern.rfind('@');
  const std::string rank = at == std::string::npos ? "" : scaling.pattern.substr(at + 1);
  const bool names_rank = !rank.empty() && std::ranges::all_of(rank, [](char c) { return c >= '0' && c <= '9'; });
  if (!names_rank) return scaling;
  for (size_t r = 0; r < measured.size(); ++r)
    if (std::to_string(*measured[r].rank) == rank) scaling.rank = r;
  if (!scaling.rank) return refuse(fmt::format("no trace is of rank '{}'", rank), kExample);
  scaling.pattern.resize(at);
  return scaling;
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

int run_replay(const ReplayFlags& options, Streams& streams) {
  Session session;
  std::optional<trace::Trace> measured = read_files(options, streams, session);
  std::optional<Measured> page;
  if (measured) {
    const replay::Edits edits = edits_of(options, *measured, session.diagnostics);
    const auto hosts = hosts_of(options.hosts, *measured, session.diagnostics);
    if (!session.diagnostics.has_errors()) page.emplace(*measured, align(*hosts, *measured), edits);
    if (page && page->is_replayed() && options.from_others)
      page->unseen = replay::predict_each(page->trace, page->steps, page->replayed);
    if (page) tell(*page, options, session.diagnostics);
  }
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  return print(replay_report(*page), options.common, streams, "replay");
}

}  // namespace

Command replay_command() {
  return {.name = "replay",
          .summary = "measured traces across ranks: who waited for whom, the critical path, what-ifs",
          .argument = "TRACE...",
          .flags = kFlags.flags,
          .function = run_with<kFlags, ReplayFlags, run_replay>};
}

}  // namespace cli
