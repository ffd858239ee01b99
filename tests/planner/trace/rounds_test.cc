// Rounds of parameter servers across workers: waits and transfers that are known, and what does not match.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "planner/trace/clocks.h"
#include "planner/trace/collectives.h"
#include "planner/trace/steps.h"
#include "tests/planner/trace/byteps_text.h"

using namespace planner::trace;
using sample::ranks_of;
using sample::ServerText;
using sample::WorkerText;

namespace {

constexpr int64_t kUs = 1000;

/// Three workers; the last PUSH is rank 1's, at 240 us. Rank 2 asks when all is there.
Trace three_workers() {
  return ranks_of({WorkerText().round("t", 7, 100, 110, 120, 260).text(),
                   WorkerText().round("t", 7, 200, 240, 245, 270).text(),
                   WorkerText().round("t", 7, 130, 150, 250, 265).text()});
}

}  // namespace

TEST_CASE("a PULL waits for the last PUSH; the rest is its transfer") {
  const Trace trace = three_workers();
  const Matched matched = match_collectives(trace);
  CHECK(matched.mistakes.empty());
  CHECK(matched.notes.empty());
  REQUIRE(matched.collectives.size() == 1);
  const Collective& round = matched.collectives[0];
  CHECK(round.name == "Comm.t.PULL");
  CHECK(round.group == "7");
  CHECK(round.kind == CollectiveKind::push_pull);
  CHECK(round.parts[round.last].rank == 1);
  CHECK(round.end_ns == 270 * kUs);
  CHECK(round.transfer_ns == 25 * kUs);        // rank 1's: the longest of 20, 25 and 15
  CHECK(round.parts[0].wait_ns == 120 * kUs);  // from 120 to 240 of its 140
  CHECK(round.parts[1].wait_ns == 0);
  CHECK(round.parts[2].wait_ns == 0);  // it asks 10 us after the last PUSH
  CHECK(arrival_ns(trace, round.parts[2]) == 150 * kUs);
  CHECK(waits_of(trace, matched) == std::vector<std::vector<int64_t>>{{0, 120 * kUs, 0}, {0, 0, 0}, {0, 0, 0}});
  // All of it is of the whole trace, which is the step.
  const std::vector<Step> steps = steps_of(trace[0]);
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].events.size() == 2);
  CHECK(steps[0].launched.communication_ns == 150 * kUs);
  CHECK(waited_in(trace, matched, 0, steps[0].window) == 120 * kUs);
}

TEST_CASE("keys are matched by themselves, each round by its number") {
  ServerText text;
  text.push(9, 7, 0, 5).push(9, 8, 1, 6).push(11, 8, 2, 9).push(11, 7, 3, 20).pull(9, 8, 10, 14).pull(11, 8, 11, 15);
  text.pull(9, 7, 10, 24).push(9, 8, 22, 30).pull(11, 7, 21, 25).push(11, 8, 23, 26).pull(9, 8, 31, 33);
  text.pull(11, 8, 28, 34);
  const Trace trace = ranks_of({text.text()});
  const Matched matched = match_collectives(trace);
  std::string told;
  for (const Collective& c : matched.collectives)
    told += fmt::format("{}#{} last {} waits {} {}; ", c.name, c.index, c.parts[c.last].rank, c.parts[0].wait_ns / kUs,
                        c.parts[1].wait_ns / kUs);
  CHECK(told ==
        "pull 8#0 last 1 waits 0 0; "
        "pull 7#0 last 1 waits 10 0; "
        "pull 8#1 last 0 waits 0 2; ");
}

TEST_CASE("waits and transfers of random rounds add up to what PULLs took") {
  std::mt19937 random(3);
  const auto below = [&](int64_t most) { return static_cast<int64_t>(random() % static_cast<uint64_t>(most)); };
  for (int run = 0; run < 50; ++run) {
    const int workers = 2 + static_cast<int>(below(4));
    ServerText text;
    int64_t now = 0;
    for (int round = 0; round < 10; ++round) {
      const int64_t key = below(3);
      std::vector<int64_t> pushed;
      for (int w = 0; w < workers; ++w) {
        const int64_t begin = now + 1 + below(50);
        pushed.push_back(begin + below(20) + 1);
        text.push(9 + 2 * w, key, begin, pushed.back());
      }
      const int64_t last = *std::ranges::max_element(pushed);
      for (int w = 0; w < workers; ++w) {
        const int64_t begin = pushed[static_cast<size_t>(w)] + below(9);
        text.pull(9 + 2 * w, key, begin, std::max(begin, last) + 1 + below(30));
      }
      now = last + 100;
    }
    const Trace trace = ranks_of({text.text()});
    const Matched matched = match_collectives(trace);
    REQUIRE(matched.mistakes.empty());
    CHECK(matched.collectives.size() == 10);
    for (const Collective& round : matched.collectives) {
      const int64_t last = arrival_ns(trace, round.parts[round.last]);
      int64_t longest = 0;
      for (const Collective::Part& part : round.parts) {
        const Event& pull = trace[part.rank].events[part.event];
        const int64_t transfer = pull.end_ns() - std::max(last, pull.start_ns);
        CHECK(part.wait_ns + transfer == pull.duration_ns);
        CHECK(trace[part.rank].events[part.push].kind == EventKind::push);
        CHECK(arrival_ns(trace, part) <= last);
        longest = std::max(longest, transfer);
      }
      CHECK(round.transfer_ns == longest);
      CHECK(round.parts[round.last].wait_ns == 0);
    }
  }
}

TEST_CASE("a worker that is missing is told, and rounds that do not match are left out") {
  ServerText text;
  text.push(9, 7, 0, 5).pull(9, 7, 10, 20).push(11, 8, 0, 5).pull(11, 8, 10, 20);
  text.push(9, 7, 30, 35).pull(9, 7, 40, 50).push(11, 8, 30, 35).pull(11, 8, 40, 50);
  const Matched alone = match_collectives(ranks_of({text.text()}));
  CHECK(alone.collectives.size() == 4);
  CHECK(absent_text(alone) ==
        "key 7 has 2 ranks, of which 1 is here, and 1 other group has absent ones: what a collective took holds the "
        "wait for absent ranks");
  const auto mistake = [](const WorkerText& worker) {
    const Matched matched = match_collectives(ranks_of({worker.text(), WorkerText().round("t", 7, 1, 2, 3, 4).text()}));
    CHECK(matched.collectives.empty());
    return matched.mistakes.empty() ? "" : matched.mistakes[0];
  };
  WorkerText twice, none, push;
  twice.round("t", 7, 1, 2, 3, 4).round("t", 7, 5, 6, 7, 8);
  CHECK(mistake(twice) == "the ranks have different numbers of PUSHs and PULLs of key 7: 4, 2");
  push.stage("t", "PUSH", "7", 1, 1).stage("t", "PUSH", "7", 3, 1);
  CHECK(mistake(push) == "kernel 2 of key 7 is 'Comm.t.PUSH' on one rank and 'Comm.t.PULL' on another");
  const Matched two = match_collectives(ranks_of({push.text()}));
  REQUIRE(two.mistakes.size() == 1);
  CHECK(two.mistakes[0] == "rank 0 has two PUSHs of key 7 that follow one another");
  none.stage("t", "PUSH", "7", 1, 1);
  CHECK(match_collectives(ranks_of({none.text()})).mistakes[0] == "the last PUSH of key 7 has no PULL");
}

TEST_CASE("clocks of workers are put in step where a PULL ends before the last PUSH, and else kept") {
  const auto run = [](int64_t behind) {
    WorkerText early, late;
    for (int64_t k = 0; k < 5; ++k) {
      const int64_t at = 100'000 * k;
      early.round("t", 7, at + 100, at + 150, at + 160, at + 5100 + 7 * k);
      late.round("t", 7, at + 4000 - behind, at + 5000 - behind, at + 5010 - behind, at + 5110 - behind);
    }
    return ranks_of({early.text(), late.text()});
  };
  Trace same = run(0);
  const Clocks kept = align_clocks(same, match_collectives(same), {0, 1});
  CHECK(kept.before_ns == 0);  // ends are up to 28 us apart, as one is answered after the other
  Trace apart = run(-20'000);
  const Matched before = match_collectives(apart);
  REQUIRE(before.notes.size() == 1);
  CHECK(before.notes[0] ==
        "5 PULLs end before the last PUSH of their round, by up to 19.900 ms: training is asynchronous, or clocks are "
        "not in step");
  const Clocks clocks = align_clocks(apart, before, {0, 1});
  CHECK(clocks.before_ns == 19'900 * kUs);
  CHECK(clocks.after_ns == 0);
  CHECK(std::abs(clocks.offsets_ns[1] + 20'000 * kUs) <= 20 * kUs);
  shift(apart, clocks);
  CHECK(match_collectives(apart).notes.empty());
  CHECK(align_clocks(apart, match_collectives(apart), {0, 0}).offsets_ns == std::vector<int64_t>{0, 0});
}
