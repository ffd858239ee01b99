// Files that BytePS writes about a run with parameter servers, in the Trace Event Format of Chrome: two kinds of files.
//
// A worker's (BYTEPS_TRACE_ON, `comm.json`) has a complete event for each stage of each partition of a tensor,
//
//     {"ph": "X", "name": "Comm.TENSOR.PUSH", "pid": "Comm.TENSOR", "tid": "KEY", "ts": us, "dur": us, "cat": "Comm"}
//
// There is also one with "tid": "total" for the tensor. PUSH and PULL are kept: the former from the request to the
// server's answer, the latter from the request until the sum has arrived. Older versions write no category. The file
// does not name its worker.
//
// A server's (BYTEPS_SERVER_ENABLE_PROFILE, `server_profile.json`) has the begin and the end of each request, from its
// arrival until it was answered, on the server's clock,
//
//     {"name": "push-9", "ph": "B", "pid": KEY, "tid": KEY, "ts": us},     {"name": "push-9", "ph": "E", ...
//
// The number is the sender's in ps-lite: workers are 9, 11, 13 ..., so the rank is (number - 9) / 2. The server never
// ends the list that it writes, and unflushed data is missing: the text usually ends in the middle of an event, and
// rounds in the middle of their requests.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "planner/trace/kineto_event.h"
#include "planner/trace/trace.h"

namespace planner::trace {

class BytepsReader {
 public:
  /// `own`: of the worker that wrote the file; `workers`: those that a server describes, by rank.
  BytepsReader(RankTrace& own, std::vector<RankTrace>& workers) : file_(own), own_{&own, {}}, workers_(workers) {}

  /// Takes an event of either kind, and skips any other. Returns its mistake; "": none.
  std::string keep(const RawEvent& raw);
  /// Leaves out what had not ended when the file does, and gives out the workers.
  void finish();
  bool has_server() const { return has_server_; }

 private:
  /// A rank's trace as it grows: a lane for each key.
  struct Keyed {
    RankTrace* trace = nullptr;
    std::unordered_map<int64_t, uint32_t> lanes;
    void add(Event event, std::string_view name, int64_t key);
  };
  using Request = std::tuple<int64_t, int64_t, EventKind>;  // key, sender, what

  std::string keep_stage(const RawEvent& raw, EventKind kind);
  std::string keep_request(const RawEvent& raw, int64_t sender, EventKind kind);
  void end_request(const Request& request, int64_t start_ns, int64_t duration_ns);
  int64_t cut_rounds();

  RankTrace& file_;  // receives notes
  Keyed own_;
  std::vector<RankTrace>& workers_;
  std::map<int64_t, RankTrace> traces_;  // of those that are served, by sender
  std::map<int64_t, Keyed> served_;
  bool has_server_ = false;
  std::map<Request, int64_t> open_;  // when those began that have not ended
};

/// Joins the records of several servers, or files of one, about the same worker: its keys are spread over them. Traces
/// that were not written by a server, or that share a key, stay separate.
std::vector<RankTrace> join_servers(std::vector<RankTrace> ranks);

}  // namespace planner::trace
