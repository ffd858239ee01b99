// A step of a backward pass, with its fused and partitioned operators.
#include "planner/tuning/strategy.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "planner/tuning/tuned.h"
#include "tests/planner/tuning/passes.h"

using namespace planner::tuning;
using sample::linear;
using sample::pushed;

namespace {

/// Three pieces of 10 s with gradients of 4, 6 and 1 bytes, behind 100 s and before 5 s.
Backward three() {
  Backward pass{.before_seconds = 100, .pieces = {}, .after_seconds = 5};
  for (const double bytes : {4.0, 6.0, 1.0})
    pass.pieces.push_back(
        {.name = "", .seconds = 10, .joined_saves_seconds = 3, .within_saves_seconds = 1, .gradient_bytes = bytes});
  return pass;
}

FusionStrategy joined(const std::vector<bool>& operators, const std::vector<bool>& gradients) {
  FusionStrategy strategy(operators.size());
  strategy.joins_operator = operators;
  strategy.joins_gradient = gradients;
  return strategy;
}

std::vector<size_t> lasts(const Backward& pass, const FusionStrategy& strategy) {
  std::vector<size_t> lasts;
  for (const Bucket& bucket : replay(pass, strategy, linear(0, 0)).buckets) lasts.push_back(bucket.last);
  return lasts;
}

FusionStrategy default_of(std::string_view name, const Backward& pass) {
  const auto found = std::ranges::find(frameworks(), name, &Framework::name);
  REQUIRE(found != frameworks().end());
  return found->strategy(pass, found->default_bytes);
}

}  // namespace

TEST_CASE("gradients are reduced one after the other, each when it is there") {
  const Sync sync = linear(2, 2);  // 10, 14 and 4 s
  struct Row {
    std::vector<bool> operators, gradients;
    std::vector<double> piece_ends, bucket_ends;
    double step;
    size_t bound;
  };
  const std::vector<Row> rows{
      {{false, false, false}, {false, false, false}, {110, 120, 130}, {120, 134, 138}, 143, 1},
      {{false, false, false}, {false, true, false}, {110, 120, 130}, {142, 146}, 151, 0},
      {{false, false, false}, {false, false, true}, {110, 120, 130}, {120, 146}, 151, 1},
      {{false, true, false}, {false, false, false}, {117, 117, 127}, {127, 141, 145}, 150, 0},
      {{false, true, true}, {false, true, true}, {124, 124, 124}, {148}, 153, 0},
  };
  for (const Row& row : rows) {
    const Replay played = replay(three(), joined(row.operators, row.gradients), sync);
    CHECK(played.piece_ends == row.piece_ends);
    std::vector<double> ends;
    for (const Bucket& bucket : played.buckets) ends.push_back(bucket.end_seconds);
    CHECK(ends == row.bucket_ends);
    CHECK(played.step_seconds == row.step);
    CHECK(played.bound_by_communication == row.bound);
  }
}

TEST_CASE("a step that computes longest is bound by computation alone") {
  const Replay played = replay(three(), FusionStrategy(3), linear(0, 0.1));
  CHECK(played.step_seconds == doctest::Approx(135.1));
  CHECK(replay(three(), FusionStrategy(3), linear(0, 0)).bound_by_communication == 3);
}

TEST_CASE("operators that are one within a piece save what that saves") {
  FusionStrategy strategy(3);
  strategy.fuses_within = true;
  CHECK(replay(three(), strategy, linear(0, 0)).step_seconds == 132);
}

TEST_CASE("partitions: as many as are fastest, or none larger than is said") {
  const Sync sync = pushed(1, 1, 16);  // (n + 1) (1 + s / n)
  CHECK(sync.best(64).partitions == 8);
  CHECK(sync.best(64).seconds == 81);
  CHECK(sync.best(0).seconds == 0);
  FusionStrategy strategy(3);
  strategy.largest_partition_bytes = 2.5;
  const Replay played = replay(three(), strategy, sync);
  CHECK(played.buckets[0].sync.partitions == 2);
  CHECK(played.buckets[1].sync.partitions == 3);
  CHECK(played.buckets[2].sync.partitions == 1);
  CHECK(played.buckets[0].sync.seconds == 9);  // 3 (1 + 2)
}

TEST_CASE("the coarsened view: an operator without a gradient belongs to the next one that has one") {
  const auto op = [](const char* name, double bytes) {
    return Piece{.name = name, .seconds = 1, .joined_saves_seconds = 0.25, .gradient_bytes = bytes};
  };
  const std::vector<Piece> pieces = coarsened({op("a", 0), op("b", 0), op("c", 8), op("d", 4), op("e", 0), op("f", 0)});
  REQUIRE(pieces.size() == 3);
  CHECK(pieces[0].name == "c");
  CHECK(pieces[0].seconds == 3);
  CHECK(pieces[0].within_saves_seconds == 0.5);
  CHECK(pieces[0].joined_saves_seconds == 0.25);
  CHECK(pieces[0].gradient_bytes == 8);
  CHECK(pieces[1].seconds == 1);
  CHECK(pieces[2].gradient_bytes == 0);
  CHECK(pieces[2].seconds == 2);
  CHECK(coarsened({}).empty());
}

TEST_CASE("what frameworks do by default") {
  constexpr double kMiB = 1 << 20;
  Backward pass{.before_seconds = 10e-3, .pieces = {}, .after_seconds = 0};
  for (const double mib : {0.5, 0.7, 10.0, 20.0, 3.0, 70.0, 1.0, 1.0})
    pass.pieces.push_back({.name = "", .seconds = 2e-3, .gradient_bytes = mib * kMiB});
  CHECK(lasts(pass, default_of("unfused", pass)) == std::vector<size_t>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(lasts(pass, default_of("ddp", pass)) == std::vector<size_t>{1, 3, 5, 7});  // 1.2; 30; 73; 2
  // Ready at 12, 14 | 16, 18, 20 | 22, 24 | 26 ms; 70 MiB have no room for another.
  CHECK(lasts(pass, default_of("horovod", pass)) == std::vector<size_t>{1, 4, 5, 6, 7});
  const Replay cycles = replay(pass, default_of("horovod", pass), linear(0, 0));
  CHECK(cycles.buckets[0].begin_seconds == doctest::Approx(15e-3));
  CHECK(cycles.buckets[1].begin_seconds == doctest::Approx(20e-3));
  const Replay parts = replay(pass, default_of("byteps", pass), linear(0, 0));
  CHECK(parts.buckets[0].sync.partitions == 1);
  CHECK(parts.buckets[5].sync.partitions == 18);  // 70 MiB / 4096000
  const Replay one = replay(pass, default_of("xla", pass), linear(0, 0));
  CHECK(one.piece_ends.front() == one.piece_ends.back());
}

TEST_CASE("what is on its way to servers does not hold the next gradient back, and all of it is waited for") {
  // Sent in 2, and 10 more of the first until it is back, 1 of the second.
  const Sync sync([](double, int) { return 2; }, 1, [](double bytes, int) { return bytes; });
  Backward pass{.before_seconds = 0, .pieces = {}, .after_seconds = 3};
  pass.pieces = {{.name = "a", .seconds = 1, .gradient_bytes = 10}, {.name = "b", .seconds = 1, .gradient_bytes = 1}};
  const Replay played = replay(pass, FusionStrategy(2), sync);
  CHECK(played.buckets[0].end_seconds == 1 + 2 + 10);
  CHECK(played.buckets[1].begin_seconds == 3);
  CHECK(played.buckets[1].end_seconds == 3 + 2 + 1);
  CHECK(played.step_seconds == 13 + 3);
}
