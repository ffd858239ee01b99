#include "planner/trace/nsight_processes.h"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>

namespace planner::trace {
namespace {

/// Takes events of one process from the trace of all.
class ProcessEvents {
 public:
  explicit ProcessEvents(const RankTrace& all) : all_(all) {}

  void add(Event event) {
    event.name = part_.names.number(all_.name(event));
    const auto [lane, is_new] = lanes_.try_emplace(event.lane, static_cast<uint32_t>(part_.lanes.size()));
    if (is_new) part_.lanes.push_back(all_.lanes[event.lane]);
    event.lane = lane->second;
    if (event.detail != kNone) {
      part_.details.push_back(all_.details[event.detail]);
      event.detail = static_cast<uint32_t>(part_.details.size() - 1);
    }
    part_.events.push_back(event);
    ++part_.read;
  }
  RankTrace take() { return std::move(part_); }

 private:
  const RankTrace& all_;
  std::unordered_map<uint32_t, uint32_t> lanes_;
  RankTrace part_;
};

}  // namespace

std::vector<RankTrace> split_processes(RankTrace trace, const std::vector<int64_t>& process_of,
                                       const std::set<int64_t>& processes) {
  std::vector<RankTrace> parts;
  for (const int64_t process : processes) {
    ProcessEvents events(trace);
    for (size_t i = 0; i < trace.events.size(); ++i)
      if (process_of[i] == process) events.add(trace.events[i]);
    parts.push_back(events.take());
    parts.back().file = fmt::format("{} (process {})", trace.file, process);
  }
  if (parts.empty()) return parts;
  parts.front().left_out = trace.left_out, parts.front().untold = trace.untold;
  parts.front().mistakes = std::move(trace.mistakes);
  return parts;
}

}  // namespace planner::trace
