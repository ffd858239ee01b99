#include "cli/commands/replay_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <utility>

#include "dsl/embedded.h"
#include "planner/trace/byteps.h"
#include "planner/trace/join.h"
#include "planner/trace/readers.h"
#include "planner/unpack/byte_reader.h"

namespace cli {
namespace {

namespace trace = planner::trace;

/// An open file, or standard input.
class TraceFile {
 public:
  explicit TraceFile(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) wrong_ = std::strerror(errno);
  }
  ~TraceFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  TraceFile(const TraceFile&) = delete;

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

trace::Read read_file(const std::string& path, bool skip_broken, Streams& streams, Session& session) {
  if (path == "-") return trace::read_any({"<stdin>", bytes_of(streams.in)}, skip_broken, session.diagnostics);
  if (const dsl::EmbeddedFile* example = dsl::find_embedded(path)) {
    std::istringstream text{std::string(example->text)};
    return trace::read_any({path, bytes_of(text)}, skip_broken, session.diagnostics);
  }
  TraceFile file(path);
  const size_t told = session.diagnostics.list.size();
  trace::Read read;
  std::error_code error;
  const bool regular = std::filesystem::is_regular_file(path, error);
  if (file.is_open())
    read = trace::read_any({path, file.bytes(), regular ? path : ""}, skip_broken, session.diagnostics);
  if (file.wrong().empty()) return read;
  session.diagnostics.list.resize(told);  // an unreadable file is not reported again as "not a trace"
  session.diagnostics.error({}, fmt::format("cannot read '{}': {}", path, file.wrong()));
  return {};
}

}  // namespace

bool is_trace(const std::string& path) {
  if (const dsl::EmbeddedFile* example = dsl::find_embedded(path))
    return trace::is_trace(std::string(example->text.substr(0, trace::kHeadBytes)));
  std::string head(trace::kHeadBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(std::max<std::streamsize>(0, file.gcount())));
  return trace::is_trace(head);
}

ReplayFiles read_replay_files(const std::vector<std::string>& paths, bool skip_broken, Streams& streams,
                              Session& session) {
  ReplayFiles files;
  for (const std::string& path : paths) {
    trace::Read read = read_file(path, skip_broken, streams, session);
    std::ranges::move(read.ranks, std::back_inserter(files.ranks));
    if (read.execution) files.executions.push_back(*std::move(read.execution));
  }
  files.ranks = trace::join_servers(std::move(files.ranks));
  return files;
}

std::optional<std::vector<std::string>> events_of(const ReplayFiles& files, dsl::Diagnostics& diagnostics) {
  const trace::Pairing pairing = trace::pair_files(files.ranks, files.executions);
  for (const std::string& note : pairing.notes) diagnostics.warning({}, note);
  if (!pairing.wrong.empty())
    return diagnostics.error({}, pairing.wrong, "name for each trace of events one execution trace, in the same order"),
           std::nullopt;
  std::vector<std::string> names;
  for (const uint32_t rank : pairing.rank_of) names.push_back(files.ranks[rank].file);
  return names;
}

std::vector<planner::replay::JoinedRank> join_files(const std::vector<trace::Execution>& executions,
                                                    const std::vector<std::string>& events,
                                                    const trace::Trace& measured, dsl::Diagnostics& diagnostics) {
  constexpr double kFew = 0.5;
  std::vector<planner::replay::JoinedRank> all;
  for (size_t i = 0; i < executions.size(); ++i) {
    const auto rank = std::ranges::find(measured, events[i], &trace::RankTrace::file);
    planner::replay::JoinedRank one{.rank = static_cast<size_t>(rank - measured.begin()),
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
  std::ranges::stable_sort(all, {}, &planner::replay::JoinedRank::rank);
  return all;
}

}  // namespace cli
