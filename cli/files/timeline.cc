#include "cli/files/timeline.h"

#include <fmt/format.h>

#include <functional>
#include <map>

#include "cli/files/trace_events.h"
#include "planner/workload/placement.h"

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

void add(const planner::Event& e, int64_t process, TraceEvents& events) {
  constexpr double kMicroseconds = 1e6;
  const Name name = name_of(e.work);
  events.add({.name = fmt::format("{}{}", name.letter, e.microbatch),
              .category = name.category,
              .start_us = e.start * kMicroseconds,
              .duration_us = (e.end - e.start) * kMicroseconds,
              .process = process,
              .thread = e.stage,
              .arguments = fmt::format("\"microbatch\": {}, \"chunk\": {}", e.microbatch, e.chunk)});
}

/// The output of `write`, with its enclosing text.
std::string text_of(const std::function<void(TraceEvents&)>& write) {
  std::string out;
  TraceEvents events([&](std::string_view piece) { out += piece; });
  write(events);
  events.end();
  return out;
}

/// "rank 13: tp 1, pp 2", by the degrees that are above 1.
std::string name_of(const planner::Scenario& scenario, int64_t rank) {
  std::string name = fmt::format("rank {}", rank);
  const char* between = ": ";
  for (const planner::Degree& degree : planner::degrees()) {
    if (!degree.has_ranks() || scenario.parallelism.*degree.value == 1) continue;
    name += fmt::format("{}{} {}", between, degree.name, planner::index_of(scenario, degree.value, rank));
    between = ", ";
  }
  return name;
}

}  // namespace

std::string trace_events(const planner::Timeline& timeline) {
  return text_of([&](TraceEvents& events) {
    for (const planner::Event& e : timeline.events) add(e, 0, events);
  });
}

std::string trace_events(const planner::Timeline& timeline, const planner::Scenario& scenario,
                         const std::vector<int64_t>& ranks) {
  std::map<int64_t, std::vector<const planner::Event*>> of_stage;
  for (const planner::Event& e : timeline.events) of_stage[e.stage].push_back(&e);
  return text_of([&](TraceEvents& events) {
    for (const int64_t rank : ranks) {
      const int64_t stage = planner::index_of(scenario, &planner::Degrees::pp, rank);
      events.name_process(rank, name_of(scenario, rank));
      events.name_thread(rank, stage, fmt::format("stage {}", stage));
      for (const planner::Event* e : of_stage[stage]) add(*e, rank, events);
    }
  });
}

}  // namespace cli
