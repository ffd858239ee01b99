// Who walks which part: every part once, and no shard only those with one value of a choice.
#include "planner/search/parts.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "planner/search/deal.h"
#include "planner/search/prefixes.h"
#include "planner/search/search.h"
#include "tests/planner/search/open_sample.h"

using planner::Position;
using planner::WalkParts;

TEST_CASE("every card is one shard's") {
  for (const int64_t shards : {1, 2, 3, 7, 16, 1000, 999'983}) {
    for (int64_t card = 0; card < 5000; ++card) {
      const int64_t shard = planner::shard_of(card, shards);
      CHECK_UNARY(shard >= 0 && shard < shards);
    }
  }
}

TEST_CASE("threads claim the parts of a shard in order, and then such as lie behind all") {
  WalkParts all(nullptr), own(nullptr, {1, 4, 9});
  for (const int64_t part : {0, 1, 2, 3}) CHECK(all.claim() == part);
  for (const int64_t part : {1, 4, 9, 10, 11}) CHECK(own.claim() == part);
  CHECK(own.left({}).next_part == 12);
  const planner::Unfinished left{.next_part = 4, .begun = {{.part = 1, .candidates = 7}}};
  WalkParts again(&left, {1, 4, 9});
  CHECK(again.walked(1) == 7);
  for (const int64_t part : {1, 4, 9}) CHECK(again.claim() == part);
}

TEST_CASE("each part is dealt to one shard, and those whose blocks are alike to the same") {
  const planner::OpenScenario open = sample::opened(
      sample::kGpt, {"parallelism.tp=[1, 2, 4, 8]", "parallelism.pp=[1, 2, 4]", "parallelism.microbatch=[1, 2, 4, 8]",
                     "parallelism.zero=[0, 1]", "parallelism.recompute=[none, selective, full]"});
  const std::vector<size_t> order = planner::walk_order(open);
  for (const int64_t shards : {1, 2, 3, 7}) {
    std::vector<int64_t> parts;
    int64_t count = 0;
    for (int64_t shard = 0; shard < shards; ++shard) {
      std::vector<int64_t> own = planner::dealt_parts(open, order, shard, shards);
      CHECK(std::ranges::is_sorted(own));
      count = own.back();
      parts.insert(parts.end(), own.begin(), own.end() - 1);
    }
    std::ranges::sort(parts);
    REQUIRE(static_cast<int64_t>(parts.size()) == count);
    for (int64_t part = 0; part < count; ++part) CHECK(parts[static_cast<size_t>(part)] == part);
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
