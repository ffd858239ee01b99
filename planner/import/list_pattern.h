// Layer patterns of Megatron-LM's flags: Python lists of zeros and ones, "([0]*3+[1]*58)".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace planner {

/// Returns the list that `text` describes ('+' joins, '*' repeats); nullopt if it is invalid or longer than 100,000.
std::optional<std::vector<int>> list_pattern(std::string_view text);

/// A period has ones at each `every`-th position behind `first` leading zeros: {first, every}; nullopt for any other
/// pattern, and for one without ones.
struct OnesPeriod {
  int64_t first, every;
};
std::optional<OnesPeriod> period_of_ones(const std::vector<int>& pattern);

}  // namespace planner
