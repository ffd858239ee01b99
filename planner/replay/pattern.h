// Names of a trace, with '*' for any text.
#pragma once

#include <string_view>

namespace planner::replay {

/// Returns whether a text is one that the pattern stands for.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace planner::replay
