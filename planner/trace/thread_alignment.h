// Threads of two traces side by side, by whole steps where these are marked.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "planner/trace/alignment.h"

namespace planner::trace {

/// A thread of one trace and the thread of another that is like it: names in numbers that both share, and where in them
/// each step begins. Steps of one trace begin in all of its threads; one that is not marked is one step, from 0.
struct ThreadPair {
  std::vector<uint32_t> a, b;
  std::vector<size_t> a_steps{0}, b_steps{0};
};

/// Returns for each two threads their pairs (alignment.h); nullopt: more than `most_edits` names are in none.
///
/// Of traces with several steps step i of the one is that of the other which is so many steps later in all threads that
/// most names are in pairs. Where far more are in pairs of threads as a whole, these are taken: then steps are not what
/// both have in common.
std::vector<std::optional<Pairs>> align_threads(std::span<const ThreadPair> threads, int64_t most_edits);

}  // namespace planner::trace
