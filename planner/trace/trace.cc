#include "planner/trace/trace.h"

#include <algorithm>
#include <utility>

namespace planner::trace {

void Reading::note(Mistake mistake) {
  constexpr size_t kMostTold = 20;
  if (mistakes.size() < kMostTold) mistakes.push_back(std::move(mistake));
  else ++untold;
}

void sort_events(RankTrace& trace) {
  const auto order = [](const Event& event) { return std::pair(event.start_ns, -event.duration_ns); };
  if (!std::ranges::is_sorted(trace.events, {}, order)) std::ranges::stable_sort(trace.events, {}, order);
}

// The numbers of a copy are of its own texts.
Names::Names(const Names& other) {
  for (size_t i = 0; i < other.size(); ++i) number(other[static_cast<uint32_t>(i)]);
}

uint32_t Names::number(std::string_view text) {
  if (const auto at = numbers_.find(text); at != numbers_.end()) return at->second;
  const std::string& kept = texts_.emplace_back(text);
  return numbers_.emplace(kept, static_cast<uint32_t>(texts_.size() - 1)).first->second;
}

}  // namespace planner::trace
