#include "planner/trace/trace.h"

#include <algorithm>
#include <utility>

namespace planner::trace {

void FileReading::note(Mistake mistake) {
  constexpr size_t kMostTold = 20;
  if (mistakes.size() < kMostTold) mistakes.push_back(std::move(mistake));
  else ++untold;
}

void sort_events(RankTrace& trace) {
  const auto order = [](const Event& event) { return std::pair(event.start_ns, -event.duration_ns); };
  if (!std::ranges::is_sorted(trace.events, {}, order)) std::ranges::stable_sort(trace.events, {}, order);
}

// The numbers of a copy are of its own texts.
NameTable::NameTable(const NameTable& other) {
  for (size_t i = 0; i < other.size(); ++i) number(other[static_cast<uint32_t>(i)]);
}

uint32_t NameTable::number(std::string_view text) {
  if (const auto at = numbers_.find(text); at != numbers_.end()) return at->second;
  const std::string& kept = texts_.emplace_back(text);
  return numbers_.emplace(kept, static_cast<uint32_t>(texts_.size() - 1)).first->second;
}

// Sorted pairs: a table of hashes would take several times the memory of the events.
std::vector<uint32_t> launches_of(const RankTrace& rank) {
  std::vector<std::pair<int64_t, uint32_t>> calls;
  for (uint32_t i = 0; i < rank.events.size(); ++i)
    if (rank.events[i].kind == EventKind::runtime && rank.events[i].correlation >= 0)
      calls.emplace_back(rank.events[i].correlation, i);
  if (!std::ranges::is_sorted(calls)) std::ranges::sort(calls);
  std::vector<uint32_t> launches(rank.events.size(), kNone);
  for (size_t i = 0; i < launches.size(); ++i) {
    const Event& event = rank.events[i];
    if (!is_on_device(event.kind) || event.correlation < 0) continue;
    const auto call = std::ranges::lower_bound(calls, std::pair<int64_t, uint32_t>(event.correlation, 0));
    if (call != calls.end() && call->first == event.correlation) launches[i] = call->second;
  }
  return launches;
}

int64_t launched_ns(const RankTrace& rank, size_t event) {
  const uint32_t call = rank.launched_by[event];
  return rank.events[call == kNone ? event : call].start_ns;
}

}  // namespace planner::trace
