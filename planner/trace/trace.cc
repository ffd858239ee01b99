#include "planner/trace/trace.h"

#include <utility>

namespace planner::trace {

void Reading::note(Mistake mistake) {
  constexpr size_t kMostTold = 20;
  if (mistakes.size() < kMostTold) mistakes.push_back(std::move(mistake));
  else ++untold;
}

uint32_t Names::number(std::string_view text) {
  if (const auto at = numbers_.find(text); at != numbers_.end()) return at->second;
  const std::string& kept = texts_.emplace_back(text);
  return numbers_.emplace(kept, static_cast<uint32_t>(texts_.size() - 1)).first->second;
}

}  // namespace planner::trace
