// One unprocessed event of the Trace Event Format.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "planner/trace/json_stream.h"
#include "planner/trace/trace.h"

namespace planner::trace {

/// A number of an event that may be a text: "stream 7", "Spans".
struct RawNumber {
  int64_t value = -1;
  bool is_number = false;
  std::string_view text = {};  // if it is a text
};

/// Texts live until the window moves.
struct RawEvent {
  int64_t at = 0;  // its offset
  std::string_view phase, category, name;
  RawNumber process, thread;
  int64_t start_ns = 0, duration_ns = 0;
  bool has_start = false, has_duration = false;
  // Of its arguments.
  int64_t device = -1, stream = kUnsaid, correlation = -1, external = -1;
  int64_t device_type = 0, device_id = -1, change_bytes = 0, total_bytes = -1;  // of an allocation
  int64_t step = -1, loop = -1, channel = -1, chunk = -1, slice = -1;           // of an event of dPRO
  Detail detail;
  std::string_view shapes, types, collective, group, members, data_type, waits_for;
  bool has_detail = false;

  static constexpr int64_t kUnsaid = std::numeric_limits<int64_t>::min();
};

/// Reads one event (`JsonStream::take`). False: it is not an event, or the window ends.
bool read_event(JsonStream& json, RawEvent& raw);

/// Returns the mistake of a complete event ("ph": "X"); "": none.
std::string wrong_of_event(const RawEvent& raw);
/// The same of its time alone, or of that of an event that begins or ends something.
std::string wrong_of_start(const RawEvent& raw);

/// Returns whether a number begins.
bool begins_number(JsonStream& json);

}  // namespace planner::trace
