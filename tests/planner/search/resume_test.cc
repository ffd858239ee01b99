// Searches that are stopped and go on, and shards that are united: against one walk over everything.
#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "planner/search/parts.h"
#include "planner/search/unite.h"
#include "tests/planner/search/open_sample.h"
#include "tests/planner/search/result_text.h"

using planner::Begun;
using planner::Found;
using planner::SearchOptions;
using planner::SearchResult;
using sample::kAxes;
using sample::kSpace;
using sample::Sets;
using sample::text;
using sample::operator+;

namespace {

/// Stopped again and again, a little later each time, until it ends; how often it was.
int in_pieces(const planner::OpenScenario& open, SearchOptions options, SearchResult& result) {
  std::atomic<bool> stop;
  options.stop = &stop;
  for (int stops = 0;; ++stops) {
    stop = stops == 0;  // the first before anything is walked
    std::thread stopper([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(100 << std::min(stops, 16)));
      stop = true;
    });
    SearchResult next = planner::search(open, options);
    stopper.join();
    result = std::move(next);
    if (!result.stopped) return stops;
    options.resume = &result;
  }
}

}  // namespace

TEST_CASE("a search that is stopped and resumed says what one that was not does") {
  const struct {
    Sets more;
    int64_t threads;
  } rows[] = {{{}, 2}, {{"goal={maximize: scaling_efficiency}", "where=[scaling_efficiency >= 0.5]"}, 1}};
  for (const auto& row : rows) {
    INFO(row.threads);
    const planner::OpenScenario open = sample::opened(sample::kGpt, kSpace + row.more);
    const SearchResult whole = planner::search(open, {.window = planner::TieWindow{}, .pareto = kAxes});
    SearchResult resumed;
    CHECK(in_pieces(open, {.window = planner::TieWindow{}, .pareto = kAxes, .threads = row.threads}, resumed) > 0);
    CHECK(text(resumed) == text(whole));
    CHECK(!resumed.unfinished);
  }
}

TEST_CASE("shards united say what one search does") {
  const planner::OpenScenario open =
      sample::opened(sample::kGpt, kSpace + Sets{"goal={minimize: gpus}", "where=[tp * pp <= 8]"});
  const struct {
    size_t top;
    int64_t shards;
  } rows[] = {{1, 2}, {7, 1}, {7, 5}};
  for (const auto& row : rows) {
    INFO(row.top << " of " << row.shards);
    const std::string whole =
        text(planner::search(open, {.top = row.top, .window = planner::TieWindow{.timed = false}, .pareto = kAxes}));
    std::vector<SearchResult> parts;
    for (int64_t i = row.shards; i-- > 0;)
      parts.push_back(planner::search(open, {.top = row.top,
                                             .window = planner::TieWindow{.timed = false},
                                             .pareto = kAxes,
                                             .shard = i,
                                             .shards = row.shards}));
    CHECK(text(planner::unite(
              parts, {.top = row.top, .window = planner::TieWindow{.timed = false}, .pareto = kAxes})) == whole);
  }
}

TEST_CASE("parts: each of a shard's is claimed once, those that were begun first") {
  const std::vector<int64_t> dealt{1, 5, 7, 9, 14, 16, 18};  // of 18 parts
  planner::WalkParts fresh(nullptr, dealt);
  for (int64_t part : {1, 5, 7, 9}) CHECK(fresh.claim() == part);
  CHECK(fresh.walked(5) == 0);
  // Two threads: 5 is walked up to its candidate 5, 9 was claimed; 1 and 7 are done.
  const planner::Unfinished left = fresh.left({{9, 0}, {5, 5}});
  CHECK(left.next_part == 14);
  CHECK(left.begun == std::vector<Begun>{{5, 5}, {9, 0}});
  planner::WalkParts again(&left, dealt);
  CHECK(again.claim() == 5);
  CHECK(again.walked(5) == 5);
  // Stopped at once: parts begun before and not claimed are still to do.
  const planner::Unfinished still = again.left({{5, 6}});
  CHECK(still.next_part == 14);
  CHECK(still.begun == std::vector<Begun>{{5, 6}, {9, 0}});
  CHECK(again.claim() == 9);
  CHECK(again.claim() == 14);
  CHECK(again.claim() == 16);
  CHECK(again.left({}).next_part == 18);
}

TEST_CASE("a front along scaling_efficiency compares with the fewest GPUs") {
  const planner::OpenScenario open = sample::opened(sample::kGpt, kSpace);
  const SearchResult r =
      planner::search(open, {.pareto = {planner::find_result("scaling_efficiency"), planner::find_result("step")}});
  REQUIRE(r.pareto.size() > 1);
  for (const Found& a : r.pareto)
    for (const Found& b : r.pareto)
      if (a.results.step.seconds < b.results.step.seconds)
        CHECK(a.results.scaling_efficiency < b.results.scaling_efficiency);
}
