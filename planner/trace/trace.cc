#include "planner/trace/trace.h"

namespace planner::trace {

uint32_t Names::number(std::string_view text) {
  if (const auto at = numbers_.find(text); at != numbers_.end()) return at->second;
  const std::string& kept = texts_.emplace_back(text);
  return numbers_.emplace(kept, static_cast<uint32_t>(texts_.size() - 1)).first->second;
}

}  // namespace planner::trace
