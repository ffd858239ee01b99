#include "cli/timeline.h"

#include <fmt/format.h>

#include <fstream>

namespace cli {

std::string trace_events(const planner::Timeline& timeline) {
  constexpr double kMicroseconds = 1e6;
  std::string out = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [";
  const char* separator = "\n";
  for (const planner::Event& e : timeline.events) {
    out += fmt::format(
        "{}{{\"name\": \"{}{}\", \"cat\": \"{}\", \"ph\": \"X\", \"ts\": {:.3f}, \"dur\": {:.3f}, \"pid\": 0, "
        "\"tid\": {}, \"args\": {{\"microbatch\": {}, \"chunk\": {}}}}}",
        separator, e.backward ? "B" : "F", e.microbatch, e.backward ? "backward" : "forward", e.start * kMicroseconds,
        (e.end - e.start) * kMicroseconds, e.stage, e.microbatch, e.chunk);
    separator = ",\n";
  }
  return out + "\n]}\n";
}

bool write_file(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  return static_cast<bool>(out.flush());
}

}  // namespace cli
