// Threads of two traces, by steps.
#include <doctest/doctest.h>

#include "planner/trace/alignment.h"

using namespace planner::trace;

namespace {

size_t pairs_of(const std::vector<std::optional<Pairs>>& all) {
  size_t pairs = 0;
  for (const auto& each : all) pairs += each.value().size();
  return pairs;
}

/// Whether every pair of a thread has `b` in [begin, end).
bool within(const std::optional<Pairs>& pairs, uint32_t begin, uint32_t end) {
  for (const auto& [a, b] : pairs.value())
    if (b < begin || b >= end) return false;
  return true;
}

}  // namespace

TEST_CASE("threads without steps are aligned as a whole") {
  CHECK(align_threads({}, 9).empty());
  const ThreadPair both{.a = {1, 2, 3}, .b = {0, 1, 3}};
  CHECK(pairs_of(align_threads(std::vector{both}, 9)) == 2);
  CHECK_FALSE(align_threads(std::vector{both}, 1)[0].has_value());
}

TEST_CASE("one step is found among several, the same in all threads") {
  // The second of three steps alone has 7 in one thread and 9 in the other.
  const std::vector<ThreadPair> threads{
      {.a = {1, 7, 2}, .b = {1, 2, 1, 7, 2, 1, 2}, .a_steps = {0}, .b_steps = {0, 2, 5}},
      {.a = {4, 4, 9}, .b = {4, 4, 4, 4, 9, 4, 4}, .a_steps = {0}, .b_steps = {0, 2, 5}},
  };
  const auto all = align_threads(threads, 99);
  CHECK(pairs_of(all) == 6);
  CHECK(within(all[0], 2, 5));
  CHECK(within(all[1], 2, 5));
}

TEST_CASE("steps follow one another in both") {
  const std::vector<ThreadPair> threads{
      {.a = {5, 1, 6, 1}, .b = {1, 4, 5, 1, 6, 1, 1, 8}, .a_steps = {0, 2}, .b_steps = {0, 2, 4, 6}}};
  const auto all = align_threads(threads, 99);
  CHECK(all[0].value() == Pairs{{0, 2}, {1, 3}, {2, 4}, {3, 5}});
}

TEST_CASE("steps that have less in common than the threads are passed over") {
  const std::vector<ThreadPair> threads{{.a = {1, 2, 3, 4}, .b = {1, 2, 3, 4}, .a_steps = {0}, .b_steps = {0, 2}}};
  CHECK(pairs_of(align_threads(threads, 99)) == 4);
}

TEST_CASE("many steps are joined though all of them differ too much") {
  ThreadPair both;
  for (uint32_t i = 0; i < 50; ++i) both.a.push_back(i);
  for (uint32_t step = 0; step < 9; ++step) {
    if (step > 0) both.b_steps.push_back(both.b.size());
    for (uint32_t i = 0; i < 50; ++i) both.b.push_back(step == 6 ? i : 100 + i);
  }
  const auto all = align_threads(std::vector{both}, 100);
  CHECK(all[0].value().size() == 50);
  CHECK(within(all[0], 300, 350));
}
