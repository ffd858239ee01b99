// Means of the time that a run spends outside its kernels, by cause. They predict the time of runs that were not
// measured.
//
// For hosts these are T1 to T5 of Lin et al. (section IV-C): between operators, in an operator before its first launch,
// after its last launch, of a launch, between two launches. Here each is keyed by the operators that the thread is in
// at its begin and at its end, and by the calls before and after it.
// Between hosts and devices it is keyed by cause and name: from a launch to the kernel's begin, between two kernels of
// a stream, after an event, to the return of a blocking call, to another thread that begins within a call. Within one
// trace the place in the step is part of the key. If no moment of this kind was seen, a shorter key is used.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "dsl/csv.h"

namespace planner::replay {

/// The kind of a time.
enum class TimeKind : uint8_t {
  call,       // of the runtime, alone
  between,    // of a thread, between two calls
  launch,     // from a call to the begin of the launched work
  stream,     // between two pieces of work of a stream
  event,      // from the work of another stream to the waiting work
  sync,       // from the device's end to the return of a call that waits
  hand_over,  // to another thread that begins within a call
  span,       // of a thread within an operator, between two ends of operators, without its calls (spans.h)
};
const char* name_of(TimeKind kind);

struct TimeMoment {
  TimeKind kind = TimeKind::call;
  std::string_view begin, end;     // the operators that the thread is in; "": none
  std::string_view before, after;  // the calls around; of a device `after` is the kernel, of a wait the call
  int64_t place = -1;              // among those of its kind in its step, from 0; -1: not known
};

class Statistics {
 public:
  struct TimeSum {
    double ns = 0;
    int64_t count = 0;
  };
  /// Of a kind: begin, end, before, after.
  using Texts = std::array<std::string, 4>;
  using Sums = std::map<std::pair<TimeKind, Texts>, TimeSum>;

  /// REQUIRES: an int64_t holds all counts together.
  void add(const TimeMoment& moment, double ns, int64_t count = 1);
  /// Returns the mean of the moments that are most like it; nullopt: none is of its kind.
  std::optional<int64_t> mean_ns(const TimeMoment& moment) const;
  /// All that was added, each moment once, wherever in its step it was.
  const Sums& sums() const { return levels_.front(); }
  /// How many times were added.
  int64_t count() const { return count_; }

 private:
  static constexpr size_t kLevels = 5;  // from the most that is known of a moment to the least
  using Placed = std::map<std::tuple<TimeKind, Texts, int64_t>, TimeSum>;

  Placed placed_;  // those whose place is known: steps do their work in one order, and a loader waits at one place
  std::array<Sums, kLevels> levels_;
  int64_t count_ = 0;
};

// As a file, which runs of other workloads on the same machine share:
//
//     kind,begin,end,before,after,count,mean_ns
//     between,"aten::mm","aten::mm","cudaMalloc","cudaLaunchKernel",120,5250
//
// A table (RFC 4180); columns are those of `TimeMoment`, in any order. Rows of one moment add up, so that files may be
// put one behind the other.

/// Writes the file, row by row.
void write_statistics(const Statistics& statistics, const std::function<void(std::string_view)>& write);

/// The longest file that is read.
inline constexpr size_t kMostStatisticsBytes = size_t{16} << 20;

/// Adds the statistics of a file. Diagnosed: a file that is too long, a missing column, an unknown kind, a count that
/// is not a whole number above zero, more than 9e15 times in all, a mean that is not a number or longer than an hour.
void read_statistics(const dsl::Source& source, Statistics& statistics, dsl::Diagnostics& diagnostics);

}  // namespace planner::replay
