// Kineto traces for tests, event by event; and what a reader makes of a text.
#pragma once

#include <cstdint>
#include <string>

#include "planner/trace/readers.h"

namespace sample {

inline constexpr int64_t kUs = 1000;  // nanoseconds

/// What follows a name in an event's arguments: R"("stream": 7)".
class KinetoText {
 public:
  /// `head`: members before the list, each with a comma behind it.
  explicit KinetoText(std::string head = "") : text_("{" + std::move(head) + "\"traceEvents\": [") {}

  /// Times in microseconds, as they are to stand.
  KinetoText& event(const std::string& category, const std::string& name, int64_t process, const std::string& thread,
                    const std::string& start, const std::string& duration, const std::string& arguments = "") {
    return raw(R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name + R"(", "pid": )" +
               std::to_string(process) + R"(, "tid": )" + thread + R"(, "ts": )" + start + R"(, "dur": )" + duration +
               R"(, "args": {)" + arguments + "}}");
  }
  /// A kernel of a stream and its launch a microsecond before, from thread 1.
  KinetoText& kernel(const std::string& name, int stream, int64_t start, int64_t duration,
                     const std::string& arguments = "") {
    const std::string correlation = R"("correlation": )" + std::to_string(++correlation_);
    event("cuda_runtime", "cudaLaunchKernel", 100, "1", std::to_string(start - 1), "1", correlation);
    return event("kernel", name, 0, std::to_string(stream), std::to_string(start), std::to_string(duration),
                 correlation + R"(, "device": 0, "stream": )" + std::to_string(stream) +
                     (arguments.empty() ? "" : ", " + arguments));
  }
  KinetoText& raw(const std::string& event) {
    if (text_.back() != '[') text_ += ",\n";
    text_ += event;
    return *this;
  }
  std::string text() const { return text_ + "]}"; }

 private:
  std::string text_;
  int correlation_ = 0;
};

/// Rank `rank` out of `size`.
inline KinetoText ranked(int rank, int size) {
  return KinetoText(R"("distributedInfo": {"rank": )" + std::to_string(rank) + R"(, "world_size": )" +
                    std::to_string(size) + "}, ");
}

/// Pieces of a text, of `bytes` bytes each.
planner::unpack::Supply pieces(const std::string& text, size_t bytes = 1 << 20);

/// What `read_rank` makes of it; messages, one per line, in `messages`.
std::optional<planner::trace::RankTrace> rank(const std::string& text, std::string* messages = nullptr,
                                              bool skip_broken = false);

/// Ranks in one trace; throws where it cannot be read.
planner::trace::Trace trace(const std::vector<KinetoText>& ranks);

}  // namespace sample
