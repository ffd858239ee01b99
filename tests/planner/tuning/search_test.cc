// Which neighbours are fused: theorems, rounds of them, and all strategies there are.
#include "planner/tuning/search.h"

#include <doctest/doctest.h>

#include "planner/tuning/tuned.h"
#include "tests/planner/tuning/passes.h"

using namespace planner::tuning;
using sample::linear;
using sample::on_its_way;
using sample::pushed;
using sample::random_pass;

namespace {

/// A strategy by the bits of two numbers: of each joint between two pieces one.
FusionStrategy strategy_of(size_t pieces, size_t operators, size_t gradients, const Allowed& allowed) {
  FusionStrategy strategy(pieces);
  strategy.fuses_within = allowed.operator_fusion;
  for (size_t i = 1; i < pieces; ++i) {
    strategy.joins_operator[i] = allowed.operator_fusion && (operators >> (i - 1)) % 2;
    strategy.joins_gradient[i] = allowed.gradient_fusion && (gradients >> (i - 1)) % 2;
  }
  return strategy;
}

/// The shortest step of all ways to fuse neighbours as operators and as gradients alike.
double shortest(const Backward& pass, const Sync& sync, const Allowed& allowed) {
  double best = 1e300;
  for (size_t joints = 0; joints < size_t{1} << (pass.pieces.size() - 1); ++joints)
    best = std::min(best, replay(pass, strategy_of(pass.pieces.size(), joints, joints, allowed), sync).step_seconds);
  return best;
}

/// The same where operators and gradients need not be fused together.
double shortest_of_both(const Backward& pass, const Sync& sync) {
  const size_t all = size_t{1} << (pass.pieces.size() - 1);
  double best = 1e300;
  for (size_t operators = 0; operators < all; ++operators)
    for (size_t gradients = 0; gradients < all; ++gradients)
      best = std::min(best, replay(pass, strategy_of(pass.pieces.size(), operators, gradients, {}), sync).step_seconds);
  return best;
}

StrategyReplay from_nothing(const Backward& pass, const Sync& sync, const Allowed& allowed = {}) {
  return improve(pass, sync, allowed, FusionStrategy(pass.pieces.size()));
}

}  // namespace

TEST_CASE("theorem 1: operators are fused where the reduction is hidden by what that saves") {
  struct Row {
    double sync, before, own, fused;
    bool fuses;
  };
  for (const Row& row : std::vector<Row>{{1, 10, 10, 18, true}, {2, 10, 10, 18, true}, {3, 10, 10, 18, false}})
    CHECK(fuses_operators(row.sync, row.before, row.own, row.fused) == row.fuses);
}

TEST_CASE("theorem 2: gradients are fused where the second one waits longer than both take more") {
  struct Row {
    double sync_end, end, joined, own;
    bool fuses;
  };
  for (const Row& row : std::vector<Row>{{20, 10, 12, 7, true}, {15, 10, 12, 7, false}, {14, 10, 12, 7, false}})
    CHECK(fuses_gradients(row.sync_end, row.end, row.joined, row.own) == row.fuses);
}

TEST_CASE("the search among all strategies finds the shortest step of brute force") {
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    const Backward pass = random_pass(random, 2 + random() % 5);
    for (const Allowed& allowed : {Allowed{}, Allowed{.operator_fusion = false}})
      for (const Sync& sync : {linear(0.5, 0.7), pushed(0.2, 0.4, 8), on_its_way(0.1, 0.5, 4)}) {
        const StrategyReplay found = best_of_all(pass, sync, allowed);
        CHECK(found.replay.step_seconds == doctest::Approx(shortest(pass, sync, allowed)).epsilon(1e-12));
        CHECK(found.replay.step_seconds == replay(pass, found.strategy, sync).step_seconds);
      }
  }
}

TEST_CASE("theorem 3: fusing operators and gradients by themselves gains next to nothing") {
  std::mt19937 random(7);
  double worst = 1;
  for (int round = 0; round < 60; ++round) {
    const Backward pass = random_pass(random, 2 + random() % 5);
    const Sync sync = round % 2 == 0 ? linear(0.5, 0.7) : pushed(0.2, 0.4, 8);
    worst = std::max(worst, best_of_all(pass, sync, {}).replay.step_seconds / shortest_of_both(pass, sync));
  }
  MESSAGE("at most ", worst);
  CHECK(worst < 1.01);
}

TEST_CASE("rounds of the theorems against the best of all fusions of up to twelve gradients") {
  std::mt19937 random(2);
  int near = 0;
  constexpr int kGraphs = 500;
  for (int round = 0; round < kGraphs; ++round) {
    const Backward pass = random_pass(random, 1 + random() % 12);
    const Sync sync = linear(0.5, 0.7);
    const double rounds = from_nothing(pass, sync).replay.step_seconds, best = shortest(pass, sync, {});
    CHECK(best_of_all(pass, sync, {}).replay.step_seconds == doctest::Approx(best).epsilon(1e-12));
    CHECK(rounds >= best * (1 - 1e-12));
    near += rounds <= 1.02 * best;
  }
  MESSAGE(near, " of ", kGraphs, " within 2 %");
  CHECK(near >= 250);
}

TEST_CASE("no framework's default and no other beginning is better than the best of all") {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    Backward pass = random_pass(random, 20);
    for (Piece& piece : pass.pieces)
      piece.gradient_bytes *= 10e6, piece.seconds *= 1e-3, piece.joined_saves_seconds *= 1e-3;
    for (Piece& piece : pass.pieces) piece.within_saves_seconds *= 1e-3;
    const Sync sync = linear(100e-6, 1.0 / 10e9);
    const double best = best_of_all(pass, sync, {}).replay.step_seconds;
    for (const Framework& each : frameworks()) {
      const FusionStrategy strategy = each.strategy(pass, each.default_bytes);
      CHECK(best <= replay(pass, strategy, sync).step_seconds * (1 + 1e-12));
      CHECK(best <= improve(pass, sync, {}, strategy).replay.step_seconds * (1 + 1e-12));
    }
  }
}

TEST_CASE("rounds never make a step longer") {
  std::mt19937 random(4);
  for (int round = 0; round < 100; ++round) {
    const Backward pass = random_pass(random, 30);
    const Sync sync = pushed(0.05, 0.3, 16);
    const double before = replay(pass, FusionStrategy(30), sync).step_seconds;
    const StrategyReplay found = from_nothing(pass, sync, {.operator_fusion = round % 2 == 0});
    CHECK(found.replay.step_seconds <= before);
    CHECK(found.replay.step_seconds == replay(pass, found.strategy, sync).step_seconds);
  }
}
