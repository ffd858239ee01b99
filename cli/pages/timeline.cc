#include "cli/pages/timeline.h"

#include <fmt/format.h>

#include "cli/pages/trace_events.h"

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
  std::string out;
  TraceEvents events([&](std::string_view piece) { out += piece; });
  for (const planner::Event& e : timeline.events) {
    const Name name = name_of(e.work);
    events.add({.name = fmt::format("{}{}", name.letter, e.microbatch),
                .category = name.category,
                .start_us = e.start * kMicroseconds,
                .duration_us = (e.end - e.start) * kMicroseconds,
                .process = 0,
                .thread = e.stage,
                .arguments = fmt::format("\"microbatch\": {}, \"chunk\": {}", e.microbatch, e.chunk)});
  }
  events.end();
  return out;
}

}  // namespace cli
