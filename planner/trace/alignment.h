// Two sequences side by side.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace planner::trace {

/// Places of equal elements in two sequences.
using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

/// Returns pairs of equal elements, ascending in both: as many as there can be (Myers, "An O(ND) Difference Algorithm
/// and Its Variations", 1986, with linear memory). nullopt: more than `most_edits` elements are in no pair.
std::optional<Pairs> align(std::span<const uint32_t> a, std::span<const uint32_t> b, int64_t most_edits);

}  // namespace planner::trace
