// The merged trace of all ranks of a run that dPRO's profiler writes (Hu et al., MLSys 2022; dpro_event.h explains the
// names of its events): TensorFlow or MXNet, with Horovod over NCCL or with BytePS.
//
// Each GPU becomes a rank, by the numbers of its machine and on it. An all-reduce is Horovod's event for the whole; on
// a rank without that, it lasts from the first begin to the last end of the chunks of its tensors. A PUSH lasts from
// its request to the server's answer, and so does a PULL. Both belong to the first GPU of a machine. A part of a tensor
// on a server is a key. `dpro_rank.h` makes a rank of these.
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "planner/trace/dpro_event.h"
#include "planner/trace/dpro_rank.h"
#include "planner/trace/kineto_event.h"
#include "planner/trace/trace.h"

namespace planner::trace {

class DproReader {
 public:
  /// `file`: notes name it; `ranks`: those of the file.
  DproReader(RankTrace& file, std::vector<RankTrace>& ranks) : file_(file), ranks_(ranks) {}

  /// Returns whether dPRO wrote an event.
  static bool writes(const RawEvent& raw);
  /// Takes one event. Returns its mistake; "": none. REQUIRES: `writes`.
  std::string keep(const RawEvent& raw);
  /// Gives out the ranks.
  void finish();
  size_t events() const { return events_; }

 private:
  using Worker = std::pair<std::string, int64_t>;  // machine and GPU
  struct Natural {                                 // "host2" comes before "host10"
    bool operator()(const Worker& a, const Worker& b) const;
  };
  using Request = std::pair<std::string, std::string>;  // the worker of a message; the key of its content
  /// Requests and answers of PUSH, then of PULL: in the order of `EventStage`.
  using ServerMessages = std::array<std::vector<dpro::EventSpan>, 4>;

  void keep_message(const RawEvent& raw, const dpro::EventOwner& owner, const dpro::EventName& what);
  std::string keep_own(const RawEvent& raw, const dpro::EventOwner& owner, const dpro::EventName& what,
                       std::string name);
  void join_messages();
  dpro::DproWork& first_of(const std::string& worker);

  RankTrace& file_;
  std::vector<RankTrace>& ranks_;
  std::map<Worker, dpro::DproWork, Natural> work_;
  std::map<Request, ServerMessages> messages_;
  size_t events_ = 0;
};

}  // namespace planner::trace
