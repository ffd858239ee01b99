#include "cli/commands/replay.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <memory>

#include "cli/commands/flags.h"
#include "cli/pages/replay_report.h"
#include "planner/trace/readers.h"
#include "planner/unpack/byte_reader.h"

namespace cli {
namespace {

namespace trace = planner::trace;

struct ReplayFlags {
  CommonFlags common;
  bool skip_broken = false;
};
constexpr std::array kOwn{
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
  std::optional<trace::RankTrace> rank;
  if (file.is_open()) rank = trace::read_rank({path, file.bytes()}, options.skip_broken, session.diagnostics);
  if (file.wrong().empty()) return rank;
  session.diagnostics.list.clear();  // what could not be read is no trace either
  session.diagnostics.error({}, fmt::format("cannot read '{}': {}", path, file.wrong()));
  return std::nullopt;
}

std::optional<trace::Trace> read_files(const ReplayFlags& options, Streams& streams, Session& session) {
  std::vector<trace::RankTrace> ranks;
  for (const std::string& path : options.common.inputs)
    if (std::optional<trace::RankTrace> rank = read_file(path, options, streams, session))
      ranks.push_back(*std::move(rank));
  if (session.diagnostics.has_errors()) return std::nullopt;
  return trace::order_ranks(std::move(ranks), session.diagnostics);
}

int run_replay(const ReplayFlags& options, Streams& streams) {
  Session session;
  const std::optional<trace::Trace> measured = read_files(options, streams, session);
  std::optional<Measured> page;
  if (measured) {
    page.emplace(*measured);
    for (const std::string& mistake : page->matched.mistakes) {
      const std::string hint = "--skip-broken leaves out what does not match";
      options.skip_broken ? session.diagnostics.warning({}, mistake) : session.diagnostics.error({}, mistake, hint);
    }
    for (const std::string& note : page->matched.notes) session.diagnostics.warning({}, note);
  }
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  return print(replay_report(*page), options.common, streams, "replay");
}

}  // namespace

Command replay_command() {
  return {.name = "replay",
          .summary = "measured traces across ranks: who was busy with what, who waited for whom",
          .argument = "TRACE...",
          .flags = kFlags.flags,
          .function = run_with<kFlags, ReplayFlags, run_replay>};
}

}  // namespace cli
