#include "cli/pages/timeline.h"

#include <fmt/format.h>

namespace cli {

namespace {

struct Name {
  const char *letter, *category;
};
Name name_of(planner::Work work) {
  switch (work) {
    case planner::Work::forward:
      return {"F", "forward"};
    case planner::Work::backward:
      return {"B", "backward"};
    case planner::Work::weight_gradient:
      return {"W", "weight gradient"};
  }
  return {"", ""};
}

}  // namespace

std::string trace_events(const planner::Timeline& timeline) {
  constexpr double kMicroseconds = 1e6;
  std::string out = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [";
  const char* separator = "\n";
  for (const planner::Event& e : timeline.events) {
    const Name name = name_of(e.work);
    out += fmt::format(
        "{}{{\"name\": \"{}{}\", \"cat\": \"{}\", \"ph\": \"X\", \"ts\": {:.3f}, \"dur\": {:.3f}, \"pid\": 0, "
        "\"tid\": {}, \"args\": {{\"microbatch\": {}, \"chunk\": {}}}}}",
        separator, name.letter, e.microbatch, name.category, e.start * kMicroseconds, (e.end - e.start) * kMicroseconds,
        e.stage, e.microbatch, e.chunk);
    separator = ",\n";
  }
  return out + "\n]}\n";
}

}  // namespace cli
