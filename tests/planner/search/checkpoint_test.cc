// Searches that are kept while they go on: every state that was kept leads to the result of the whole.
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "planner/search/meeting.h"
#include "tests/planner/search/open_sample.h"
#include "tests/planner/search/result_text.h"

using planner::Checkpoints;
using planner::Meeting;
using planner::SearchResult;
using sample::kAxes;
using sample::kSpace;
using sample::Sets;
using sample::text;
using sample::operator+;
using namespace std::chrono_literals;

TEST_CASE("every checkpoint of a search leads to the bytes of the whole") {
  for (const Sets& more : {Sets{}, Sets{"goal={maximize: scaling_efficiency}", "where=[scaling_efficiency >= 0.5]"}}) {
    const planner::OpenScenario open = sample::opened(sample::kGpt, kSpace + more);
    const std::string whole = text(planner::search(open, {.pareto = kAxes}));
    std::vector<SearchResult> kept;
    const Checkpoints checkpoints{.every = 0ms, .write = [&](const SearchResult& found) { kept.push_back(found); }};
    for (int i = 0; i < 1000 && kept.empty(); ++i)  // it may be over before it is kept
      for (const int64_t threads : {1, 3})
        CHECK(text(planner::search(open, {.pareto = kAxes, .threads = threads, .checkpoints = &checkpoints})) == whole);
    REQUIRE(!kept.empty());
    const size_t stride = 1 + kept.size() / 12;  // some of them
    for (size_t i = 0; i < kept.size(); i += stride) {
      CHECK(kept[i].stopped);
      REQUIRE(kept[i].unfinished);
      CHECK(text(planner::search(open, {.pareto = kAxes, .threads = 2, .resume = &kept[i]})) == whole);
    }
  }
}

TEST_CASE("a search that goes on is kept with what it began with") {
  const planner::OpenScenario open = sample::opened(sample::kGpt, kSpace);
  const SearchResult whole = planner::search(open, {});
  std::optional<SearchResult> last;
  std::atomic<bool> stop{false};
  const Checkpoints stopping{.every = 0ms, .write = [&](const SearchResult& found) { last = found, stop = true; }};
  SearchResult begun;
  for (int i = 0; i < 1000 && !begun.stopped; ++i) {  // it may be over before it is kept
    stop = false;
    begun = planner::search(open, {.stop = &stop, .checkpoints = &stopping});
  }
  REQUIRE(begun.stopped);
  int64_t before = begun.candidates;
  const Checkpoints checkpoints{.every = 0ms, .write = [&](const SearchResult& found) {
                                  CHECK(found.candidates >= before);
                                  before = found.candidates;
                                }};
  CHECK(text(planner::search(open, {.threads = 2, .resume = &begun, .checkpoints = &checkpoints})) == text(whole));
}

TEST_CASE("a period that no search lasts keeps nothing") {
  const planner::OpenScenario open = sample::opened(sample::kGpt, kSpace);
  int written = 0;
  const Checkpoints checkpoints{.every = 1h, .write = [&](const SearchResult&) { ++written; }};
  planner::search(open, {.checkpoints = &checkpoints});
  CHECK(written == 0);
}

TEST_CASE("walkers of a meeting stand still together, and those that have left are not waited for") {
  Meeting meeting;
  std::atomic<int> steps{0};
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&, i] {
      const Meeting::Walker walker(meeting);
      for (int n = 0; i == 0 ? n < 100 : !over.load(); ++n) {
        ++steps;
        if (meeting.called()) walker.stand();
      }
    });
  for (int i = 0; i < 50; ++i)
    CHECK(meeting.call([&] {
      const int before = steps;
      std::this_thread::sleep_for(100us);
      CHECK(steps == before);
    }));
  over = true;
  for (std::thread& thread : threads) thread.join();
  bool taken = false;
  CHECK(meeting.call([&] { taken = true; }));  // no worker walks any more
  CHECK(taken);
}

TEST_CASE("where an exception ends a walker nothing is taken any more") {
  Meeting meeting;
  CHECK_THROWS_AS(
      [&] {
        const Meeting::Walker walker(meeting);
        throw std::runtime_error("lost");
      }(),
      std::runtime_error);
  bool taken = false;
  CHECK_FALSE(meeting.call([&] { taken = true; }));
  CHECK_FALSE(taken);
}
