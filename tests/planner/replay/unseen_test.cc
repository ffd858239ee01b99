// Ranks and steps as others predict them.
#include "planner/replay/unseen.h"

#include <doctest/doctest.h>

#include "planner/replay/moments.h"
#include "tests/planner/replay/replayed.h"

using namespace planner::replay;
using sample::KinetoText;
using sample::kUs;
using sample::ranked;
using sample::Replay;

namespace {

/// A step of `launches` launches from `begin` on. Its host takes `gap` between two of them; the kernels take `kernel`
/// each.
void step_at(KinetoText& text, int number, int64_t begin, int launches, int64_t gap, int64_t kernel, int64_t until) {
  text.event("user_annotation", "ProfilerStep#" + std::to_string(number), 100, "1", std::to_string(begin),
             std::to_string(until - begin));
  for (int i = 0; i < launches; ++i) text.kernel("k", 7, begin + gap * (i + 1), kernel);
}

}  // namespace

TEST_CASE("a step is predicted from the other steps of its rank") {
  KinetoText text;
  step_at(text, 1, 0, 4, 20, 5, 100);
  step_at(text, 2, 100, 4, 20, 5, 200);
  step_at(text, 3, 200, 4, 20, 5, 300);
  const Replay replay({text});
  const std::vector<Unseen> unseen = predict_each(replay.trace, replay.steps, replay.replayed);
  REQUIRE(unseen.size() == 3);
  for (const Unseen& each : unseen) {
    CHECK(each.measured_ns == 100 * kUs);
    CHECK(std::abs(each.predicted_ns - 100 * kUs) <= 3 * kUs);
    CHECK(each.largest_stream_ns == 20 * kUs);
  }
}

TEST_CASE("what a host does in a step is of any step: the number of one is no part of it") {
  KinetoText text;
  for (int step = 0; step < 3; ++step) step_at(text, step, int64_t{100} * step, 4, 20, 5, int64_t{100} * (step + 1));
  const Replay replay({text});
  Statistics statistics;
  learn(
      replay.trace, replay.replayed, [](size_t, int64_t) { return true; }, statistics);
  for (const auto& [key, sum] : statistics.sums())
    for (const std::string& text_of_key : key.second) CHECK(text_of_key.find('#') == std::string::npos);
  CHECK(!statistics.sums().empty());
}

TEST_CASE("a step that took longer than the others is predicted as the others are") {
  KinetoText text;
  step_at(text, 1, 0, 4, 20, 5, 100);
  step_at(text, 2, 100, 4, 20, 5, 200);
  step_at(text, 3, 200, 4, 40, 5, 400);
  const Replay replay({text});
  const std::vector<Unseen> unseen = predict_each(replay.trace, replay.steps, replay.replayed);
  REQUIRE(unseen.size() == 3);
  CHECK(unseen[2].measured_ns == 200 * kUs);
  CHECK(unseen[2].others_mean_ns == 100 * kUs);
  CHECK(unseen[0].others_mean_ns == 150 * kUs);
  CHECK(std::abs(unseen[2].predicted_ns - 100 * kUs) <= 10 * kUs);
}

TEST_CASE("a rank is predicted from the hosts of the others, with its own device") {
  std::vector<KinetoText> ranks;
  for (int r = 0; r < 3; ++r) {
    ranks.push_back(ranked(r, 3));
    step_at(ranks.back(), 1, 0, 5, r == 2 ? 60 : 20, 5, r == 2 ? 310 : 110);
  }
  const Replay replay(ranks);
  const std::vector<Unseen> unseen = predict_each(replay.trace, replay.steps, replay.replayed);
  REQUIRE(unseen.size() == 3);
  CHECK(unseen[2].measured_ns == 310 * kUs);
  CHECK(unseen[2].predicted_ns == 110 * kUs);
  CHECK(unseen[0].predicted_ns == 210 * kUs);  // of a fast rank and a slow one
  CHECK(unseen[0].largest_stream_ns == 25 * kUs);
  CHECK(unseen[0].others_mean_ns == 210 * kUs);
}

TEST_CASE("one step of one rank has no others") {
  const Replay replay({KinetoText().kernel("k", 7, 10, 5)});
  CHECK(predict_each(replay.trace, replay.steps, replay.replayed).empty());
}
