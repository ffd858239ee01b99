// Two sequences side by side, and threads of two traces by whole steps where these are marked.
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

/// A thread of one trace and the thread of another that is like it: names in numbers that both share, and where in them
/// each step begins. Steps of one trace begin in all of its threads; one that is not marked is one step, from 0.
struct ThreadPair {
  std::vector<uint32_t> a, b;
  std::vector<size_t> a_steps{0}, b_steps{0};
};

/// Returns the pairs of each two threads; nullopt: more than `most_edits` names are unpaired.
///
/// For traces with several steps, step i of one trace matches the other's step at a fixed distance. The distance is the
/// same in all threads, and pairs the most names. If pairing whole threads pairs far more names, those pairs are used:
/// the steps are then not what both share.
std::vector<std::optional<Pairs>> align_threads(std::span<const ThreadPair> threads, int64_t most_edits);

}  // namespace planner::trace
