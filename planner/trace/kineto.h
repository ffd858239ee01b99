// Traces of PyTorch's profiler (Kineto), and other files in the Trace Event Format of Chrome that use its categories:
// those of 2021 ("Operator", "Kernel", streams named "stream 7") up to today's, of CUDA and ROCm.
//
// Events of BytePS and of dPRO have the same format (byteps.h, dpro.h). Else kept are the complete events ("ph":
// "X") of operators, annotations, calls of the runtime, synchronisation and devices; Python's frames, counters, flows
// and instants are not. Times are in microseconds, with up to three decimals.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "planner/trace/byteps.h"
#include "planner/trace/dpro.h"
#include "planner/trace/kineto_event.h"
#include "planner/trace/trace.h"

namespace planner::trace {

/// Reads the values of a trace's keys, in any order. With `skip_broken` broken events are left out and counted; without
/// it, the first one ends the reading.
class KinetoReader {
 public:
  KinetoReader(JsonStream& json, bool skip_broken, RankTrace& trace, std::vector<RankTrace>& workers)
      : json_(json), skip_broken_(skip_broken), trace_(trace), byteps_(trace, workers), dpro_(trace, workers) {}

  // Each takes the value behind its key. False: a mistake, held by `json`.
  bool events();   // "traceEvents", or the list that is the whole text
  bool group();    // "distributedInfo"
  bool devices();  // "deviceProperties"
  /// Sorts the events, when all are read.
  void finish();
  /// Whether events of a parameter server were read: it never ends the list that it writes.
  bool has_server() const { return byteps_.has_server(); }

 private:
  bool keep(const RawEvent& raw);
  bool keep_dpro(const RawEvent& raw);
  bool keep_allocation(const RawEvent& raw);
  bool leave_out(const RawEvent& raw, const std::string& wrong);
  std::optional<EventKind> kind_of(const RawEvent& raw);
  static bool is_of_unknown_device(const RawEvent& raw);
  static std::string unknown(const RawEvent& raw);
  Role role_of(const RawEvent& raw, EventKind kind, uint32_t name);
  uint32_t name_of(std::string_view raw);
  uint32_t lane_of(const RawEvent& raw, EventKind kind);
  uint32_t detail_of(const RawEvent& raw);

  JsonStream& json_;
  const bool skip_broken_;
  RankTrace& trace_;
  BytepsReader byteps_;
  DproReader dpro_;
  std::map<int64_t, std::string> devices_;
  std::map<std::string, int64_t> guessed_;                        // events by category
  std::vector<std::optional<Role>> roles_;                        // of kernels, by name
  std::map<std::tuple<bool, int64_t, int64_t>, uint32_t> lanes_;  // of devices or not, by process and thread
  uint32_t last_ = 0;                                             // the lane of the last event
  std::array<uint32_t, 4096> details_{};  // in `trace_`, plus 1, by content: many operators have equal details
};

}  // namespace planner::trace
