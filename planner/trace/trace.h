// Measurements of a run: the events of its ranks, as a profiler wrote them.
//
//     a file -> reader (readers.h) -> RankTrace -> Trace
//
// Times are whole nanoseconds of the rank's own clock; ranks of one host share one (clocks.h aligns clocks).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace planner::trace {

/// The kind of an event. The first four run on the host, in a thread; the next three on a device, in a stream; the last
/// two between a worker and a parameter server. Those of a key have a lane of their own, which counts as a stream.
enum class EventKind : uint8_t { op, annotation, runtime, sync, kernel, copy, fill, push, pull };
inline bool is_on_device(EventKind kind) { return kind >= EventKind::kernel; }
inline bool is_with_server(EventKind kind) { return kind >= EventKind::push; }

/// The role of a device's work for overlap: a kernel computes or communicates, all else moves bytes.
enum class Role : uint8_t { compute, communication, memory };

inline constexpr uint32_t kNone = UINT32_MAX;

struct Event {
  int64_t start_ns = 0, duration_ns = 0;
  int64_t correlation = -1;  // links a launch and the launched work; -1: none
  int64_t external = -1;     // links an operator and its calls; -1: none
  uint32_t name = 0;         // in `RankTrace::names`
  uint32_t lane = 0;         // in `RankTrace::lanes`
  uint32_t detail = kNone;   // in `RankTrace::details`
  EventKind kind = EventKind::op;
  Role role = Role::compute;  // of a kernel, a copy, a fill

  int64_t end_ns() const { return start_ns + duration_ns; }
};

/// Additional data of some events. Texts are names; kNone: unknown.
struct Detail {
  uint32_t shapes = kNone, types = kNone;  // of an operator's inputs: "[[4, 3, 224, 224], ...]"
  uint32_t collective = kNone, group = kNone, members = kNone, data_type = kNone;
  int64_t elements_in = -1, elements_out = -1, group_size = -1;  // of a collective
  int64_t bytes = -1;                                            // of a copy
  int64_t sequence = -1, forward_thread = -1;                    // of an operator and its backward pass
  uint32_t waits_for = kNone;                                    // of a synchronisation: "Stream Sync" ...
  int64_t wait_on_stream = -1, wait_on_record = -1;              // and its stream; the call that recorded its event
  bool operator==(const Detail&) const = default;
};

/// A thread of the host, or a stream of a device: events of one do not overlap (those of a thread may be nested).
struct Lane {
  int64_t process = 0, thread = 0;  // of a device its number and the stream's; of a parameter server 0 and the key
  bool on_device = false;
  bool operator==(const Lane&) const = default;
};

/// Texts, each once.
class NameTable {
 public:
  NameTable() = default;
  NameTable(const NameTable& other);
  NameTable(NameTable&&) noexcept = default;  // the texts stay where they are
  NameTable& operator=(const NameTable& other) { return *this = NameTable(other); }
  NameTable& operator=(NameTable&&) noexcept = default;
  ~NameTable() = default;

  /// Returns the number of a text.
  uint32_t number(std::string_view text);
  const std::string& operator[](uint32_t number) const { return texts_[number]; }
  size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, uint32_t> numbers_;  // into `texts_`
};

/// An item that a reader could not use, and left out if that was requested.
struct Mistake {
  int64_t event = -1, byte = -1;  // of an event or a node; -1: not of one
  std::string message;
};

/// Metadata of a file that a reader found.
struct FileReading {
  std::string file;                // as it was named
  int64_t read = 0;                // events or nodes of the file, of any kind
  int64_t left_out = 0;            // that were broken
  std::vector<Mistake> mistakes;   // the first few
  int64_t untold = 0;              // further mistakes, not listed
  std::vector<std::string> notes;  // other remarks

  void note(Mistake mistake);
};

/// Memory of a device that was allocated, or freed (PyTorch: `profile_memory`).
struct Allocation {
  int64_t at_ns = 0, bytes = 0;  // less than 0: freed
  int64_t total_bytes = -1;      // allocated then, according to the profiler; -1: unknown
  int64_t device = 0;
};

struct RankTrace : FileReading {
  std::optional<int64_t> rank, world_size;  // nullopt: unknown
  std::string backend, device;              // "nccl"; "NVIDIA A100-SXM4-80GB"; "": unknown
  std::string clock;                        // ranks that name the same one share it; "": a separate clock
  NameTable names;
  std::vector<Lane> lanes;
  std::vector<Event> events;  // by start; of equal starts the longer first
  std::vector<Detail> details;
  std::vector<Allocation> allocations;  // by time; empty: the profiler did not record them
  std::vector<uint32_t> launched_by;    // by event: the call that launched it (launches_of); kNone: none

  const std::string& name(const Event& event) const { return names[event.name]; }
  const Lane& lane(const Event& event) const { return lanes[event.lane]; }
  /// Returns the number of a detail that is added.
  uint32_t add(const Detail& detail) {
    details.push_back(detail);
    return static_cast<uint32_t>(details.size() - 1);
  }
  const Detail* detail(const Event& event) const { return event.detail == kNone ? nullptr : &details[event.detail]; }
};

/// Sorts the events; equal ones keep their order.
void sort_events(RankTrace& trace);

using Trace = std::vector<RankTrace>;  // by rank

/// Returns what `RankTrace::launched_by` is: for each event of a device the number of the call that launched it, by
/// correlation; kNone: no call of the trace did, and of all other events.
std::vector<uint32_t> launches_of(const RankTrace& rank);

/// Returns when an event was launched; of one that no call of the trace launched, when it began.
int64_t launched_ns(const RankTrace& rank, size_t event);

/// How much of one file is kept: an event takes some 350 bytes until its run is replayed, a node about as much.
inline constexpr size_t kMostEvents = 4'000'000;  // or nodes
/// Message for a file with more of them. `what`: "events".
inline std::string too_many(const std::string& what) {
  return "the file has more than " + std::to_string(kMostEvents) + " " + what + ": trace fewer steps";
}

}  // namespace planner::trace
