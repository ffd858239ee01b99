#include "planner/trace/thread_alignment.h"

#include <algorithm>

namespace planner::trace {
namespace {

using AllPairs = std::vector<std::optional<Pairs>>;

// Steps stand for threads as a whole where they have so much of what these have, or of all there is.
constexpr double kAsGood = 0.95;

size_t count(const AllPairs& all) {
  size_t pairs = 0;
  for (const std::optional<Pairs>& each : all) pairs += each ? each->size() : 0;
  return pairs;
}

/// Where a step stands among the names of a thread.
struct Part {
  size_t begin, end;
  std::span<const uint32_t> of(const std::vector<uint32_t>& names) const {
    return std::span(names).subspan(begin, end - begin);
  }
};
Part part(const std::vector<size_t>& steps, size_t size, size_t step) {
  return {steps[step], step + 1 < steps.size() ? steps[step + 1] : size};
}

AllPairs whole(std::span<const ThreadPair> threads, int64_t most_edits) {
  AllPairs all;
  for (const ThreadPair& each : threads) all.push_back(align(each.a, each.b, most_edits));
  return all;
}

std::optional<Pairs> by_steps(const ThreadPair& threads, int64_t later, int64_t most_edits) {
  Pairs pairs;
  bool aligned = false;
  for (size_t i = 0; i < threads.a_steps.size(); ++i) {
    const int64_t j = static_cast<int64_t>(i) + later;
    if (j < 0 || j >= std::ssize(threads.b_steps)) continue;
    const Part a = part(threads.a_steps, threads.a.size(), i),
               b = part(threads.b_steps, threads.b.size(), static_cast<size_t>(j));
    const std::optional<Pairs> some = align(a.of(threads.a), b.of(threads.b), most_edits);
    if (!some) continue;
    aligned = true;
    for (const auto& [in_a, in_b] : *some)
      pairs.emplace_back(static_cast<uint32_t>(a.begin + in_a), static_cast<uint32_t>(b.begin + in_b));
  }
  return aligned ? std::optional(pairs) : std::nullopt;
}

AllPairs best_of_steps(std::span<const ThreadPair> threads, int64_t most_edits) {
  AllPairs best;
  const int64_t earliest = 1 - std::ssize(threads.front().a_steps), end = std::ssize(threads.front().b_steps);
  for (int64_t later = earliest; later < end; ++later) {
    AllPairs all;
    for (const ThreadPair& each : threads) all.push_back(by_steps(each, later, most_edits));
    if (best.empty() || count(all) > count(best)) best = std::move(all);
  }
  return best;
}

}  // namespace

std::vector<std::optional<Pairs>> align_threads(std::span<const ThreadPair> threads, int64_t most_edits) {
  if (threads.empty()) return {};
  const bool marked = threads.front().a_steps.size() > 1 || threads.front().b_steps.size() > 1;
  if (!marked) return whole(threads, most_edits);
  AllPairs steps = best_of_steps(threads, most_edits);
  size_t names = 0;
  for (const ThreadPair& each : threads) names += each.a.size();
  const auto found = static_cast<double>(count(steps));
  if (found >= kAsGood * static_cast<double>(names)) return steps;
  AllPairs all = whole(threads, most_edits);
  if (found >= kAsGood * static_cast<double>(count(all))) return steps;
  return all;
}

}  // namespace planner::trace
