// Events in the trace-event format that Perfetto and Chrome open, written piece by piece:
//
//     {"displayTimeUnit": "ms", "traceEvents": [
//     {"name": "F0", "cat": "forward", "ph": "X", "ts": 0.000, "dur": 812.500, "pid": 0, "tid": 0, "args": {...}},
//     ...
//     ]}
//
// Times are in microseconds, as the format wants them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace cli {

class TraceEvents {
 public:
  using Sink = std::function<void(std::string_view)>;
  explicit TraceEvents(Sink sink);

  struct Row {
    std::string_view name, category;
    double start_us = 0, duration_us = 0;
    int64_t process = 0, thread = 0;
    std::string_view arguments = {};  // members of an object, as JSON: "\"microbatch\": 3"
  };
  void add(const Row& row);
  void name_process(int64_t process, std::string_view name);
  void name_thread(int64_t process, int64_t thread, std::string_view name);
  /// Ends the text. REQUIRES: nothing is called behind it.
  void end();

 private:
  void begin_row();
  void end_row();

  Sink sink_;
  std::string text_;  // that the sink has not got yet
  bool first_ = true;
};

}  // namespace cli
