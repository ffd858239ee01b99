// Who walks which part: every part once, and no shard only those with one value of a choice.
#include "planner/search/parts.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "tests/planner/search/open_sample.h"

using planner::Parts;
using planner::Position;

TEST_CASE("shards share all parts, each of them once and in order") {
  for (const int64_t shards : {1, 2, 3, 7, 16, 1000, 999'983}) {
    for (int64_t part = 0; part < 5000; ++part) {
      const int64_t shard = planner::shard_of(part, shards);
      CHECK_UNARY(shard >= 0 && shard < shards);
    }
    for (const int64_t shard : {int64_t{0}, shards / 2, shards - 1}) {
      Parts parts({.shard = shard, .shards = shards}, nullptr);
      for (int64_t round = 0; round < 40; ++round) {
        const int64_t part = parts.claim();
        CHECK(part / shards == round);  // one of each group
        CHECK(planner::shard_of(part, shards) == shard);
      }
    }
  }
}

TEST_CASE("a value that comes back at every so many parts is not one shard's alone") {
  for (const int64_t shards : {2, 4, 8, 16})
    for (const int64_t period : {shards, 2 * shards, shards / 2}) {
      std::vector<int64_t> with(static_cast<size_t>(shards));
      constexpr int64_t kRounds = 256;
      for (int64_t part = 0; part < kRounds * shards; part += period)
        ++with[static_cast<size_t>(planner::shard_of(part, shards))];
      const int64_t mean = kRounds * shards / period / shards;
      const auto [least, most] = std::minmax_element(with.begin(), with.end());
      INFO(shards, " shards, period ", period);
      CHECK(*least >= mean * 8 / 10);
      CHECK(*most <= mean * 12 / 10 + 1);
    }
}

TEST_CASE("costed work is dealt evenly to shards") {
  const planner::OpenScenario open = sample::opened(
      sample::kGpt, {"parallelism.tp=[1, 2, 4, 8]", "parallelism.pp=divisors(model.layers)",
                     "parallelism.interleave=divisors(model.layers / pp)", "parallelism.microbatch=pow2(1, 8)",
                     "parallelism.recompute=[none, selective, full]", "parallelism.zero=[0, 1, 2]",
                     "parallelism.sequence_parallel=[false, true]", "cluster.gpus=[8, 16, 32]"});
  for (const int64_t shards : {2, 4, 6}) {
    int64_t all = 0, most = 0;
    for (int64_t shard = 0; shard < shards; ++shard) {
      const int64_t costed = planner::search(open, {.shard = shard, .shards = shards}).evaluated;
      all += costed;
      most = std::max(most, costed);
    }
    CHECK(all == planner::search(open, {}).evaluated);
    CHECK(static_cast<double>(most) <= 1.15 * static_cast<double>(all) / static_cast<double>(shards));
  }
}
