// Strategies on the graph of data-parallel traces: identity, the choice of the best, gains of decisions.
#include "planner/tuning/real_graph.h"

#include <doctest/doctest.h>

#include <random>

#include "planner/tuning/traced.h"
#include "tests/planner/replay/replayed.h"
#include "tests/planner/trace/data_parallel.h"

using namespace planner::tuning;

namespace {

constexpr int kRuns = 40;

/// Two to four ranks, up to 30 gradients of any size, buckets as they come; hosts or devices hold it up.
sample::DataParallel random_run(std::mt19937& random) {
  const auto any = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  sample::DataParallel run{.late_us = {}, .host_us = any(7, 60), .launch_us = any(4, 40), .latency_us = any(1, 60)};
  const int64_t gradients = any(2, 30);
  for (int64_t i = 0; i < gradients; ++i) {
    run.elements.push_back(any(100, 20000));
    run.kernel_us.push_back(any(5, 100));
    if (i + 1 == gradients || any(0, 3) == 0) run.bucket_ends.push_back(static_cast<size_t>(i + 1));
  }
  for (int64_t ranks = any(2, 4); ranks > 0; --ranks) run.late_us.push_back(any(0, 40));
  return run;
}

struct TunedRun {
  sample::Replay replay;
  Tunable tunable;
  RealGraph graph;
  std::vector<Candidate> candidates;

  explicit TunedRun(const sample::DataParallel& run)
      : replay(sample::data_parallel(run)),
        tunable(traced_pass(replay.trace, replay.matched)),
        graph(replay.trace, replay.matched) {
    REQUIRE_MESSAGE(tunable.subject, tunable.why_not);
    candidates = candidates_of(*tunable.subject, tune(tunable.subject->pass, Sync(tunable.subject->sync, 8)));
    replay_candidates(graph, *tunable.subject, candidates);
  }
  const Subject& subject() const { return *tunable.subject; }
};

}  // namespace

TEST_CASE("the measured buckets replay to the measured step within 0.5 %, the best is no slower than any other") {
  std::mt19937 random(7);
  int better = 0;
  for (int i = 0; i < kRuns; ++i) {
    const TunedRun tuned(random_run(random));
    const Candidate &measured = tuned.candidates.front(), &best = tuned.candidates.back();
    CHECK(measured.name == "measured");
    CHECK(best.name == "best");
    CHECK(measured.replayed_seconds.value() == doctest::Approx(tuned.subject().step_seconds).epsilon(0.005));
    for (const Candidate& each : tuned.candidates)
      CHECK(best.replayed_seconds.value() <= each.replayed_seconds.value());
    better += *best.replayed_seconds < *measured.replayed_seconds;
  }
  CHECK(better > kRuns / 2);
  MESSAGE("the best is faster than what was measured in " << better << " of " << kRuns);
}

TEST_CASE("calls that take less than the clock tells leave every replayed time within the run") {
  std::mt19937 random(23);
  for (int i = 0; i < kRuns; ++i) {
    sample::DataParallel run = random_run(random);
    run.call_us = 0;
    const TunedRun tuned(run);
    CHECK(is_modelled(tuned.subject(), tuned.candidates));
    for (const Candidate& each : tuned.candidates) {
      CHECK(each.replayed_seconds.value() > 0);
      CHECK(each.replayed_seconds.value() < 20 * tuned.subject().step_seconds);
    }
  }
}

TEST_CASE("a graph that does not give back the measured step models nothing") {
  std::mt19937 random(29);
  TunedRun tuned(random_run(random));
  CHECK(is_modelled(tuned.subject(), tuned.candidates));
  tuned.candidates.front().replayed_seconds = 1.011 * tuned.subject().step_seconds;
  CHECK_FALSE(is_modelled(tuned.subject(), tuned.candidates));
  tuned.candidates.front().replayed_seconds.reset();
  CHECK_FALSE(is_modelled(tuned.subject(), tuned.candidates));
}

TEST_CASE("decisions hold each gradient once, and a gain is what the step loses without it") {
  std::mt19937 random(11);
  for (int i = 0; i < 5; ++i) {
    const TunedRun tuned(random_run(random));
    const Candidate& best = tuned.candidates.back();
    const planner::replay::Decisions decisions = decisions_of(tuned.subject(), best.played);
    std::vector<int> times(decisions.gradients);
    for (const planner::replay::DecidedBucket& bucket : decisions.buckets)
      for (const size_t gradient : bucket.gradients) ++times[gradient];
    CHECK(times == std::vector<int>(decisions.gradients, 1));
    for (const Decision& each : decide(tuned.graph, decisions, tuned.subject())) {
      planner::replay::Decisions without = decisions;
      planner::replay::DecidedBucket& bucket = without.buckets[each.bucket];
      if (each.pass == Decision::Pass::tensor_fusion) {
        const std::vector<size_t> gradients = bucket.gradients;
        without.buckets.erase(without.buckets.begin() + static_cast<std::ptrdiff_t>(each.bucket));
        for (size_t g = 0; g < gradients.size(); ++g)
          without.buckets.insert(
              without.buckets.begin() + static_cast<std::ptrdiff_t>(each.bucket + g),
              {.gradients = {gradients[g]}, .bytes = tuned.subject().pass.pieces[gradients[g]].gradient_bytes});
      } else {
        bucket.partitions = 1;
      }
      CHECK(tuned.graph.step_seconds(without).value() - *best.replayed_seconds ==
            doctest::Approx(each.gain_seconds).epsilon(1e-9));
    }
  }
}
