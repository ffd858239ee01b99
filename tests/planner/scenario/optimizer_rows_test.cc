// Each optimizer's row by hand: what its passes move and compute, what it keeps of a matrix, what it multiplies.
#include <doctest/doctest.h>

#include <string>

#include "planner/scenario/optimizers.h"
#include "planner/workload/matrices.h"

using planner::Optimizer;
using planner::OptimizerRow;
using planner::Side;
using planner::UpdatePass;
using planner::UpdateProduct;

namespace {

/// Sums over passes, of a parameter.
struct Passes {
  size_t count;
  double read, written, flops, commands;
};

struct ByHand {
  Optimizer optimizer;
  const char* name;
  Passes rest, matrices;     // of parameters outside matrices, and of matrices
  double states, state_5x3;  // bytes of a parameter, of a matrix of 5 x 3
  double flops_6x10;         // of products in one step, of five iterations
};

// Words of gradient, master, momentum, variance read, the last three written; of eight bits both states are 1 + 4/256
// bytes. Squares: statistics and bases or roots, fp32, of both sides.
constexpr Passes kNone{}, kAdam{1, 16, 12, 12, 5}, kSmall{1, 8 + 2.03125, 4 + 2.03125, 12, 5};
constexpr Passes kMuon{3, 8 + 4 + 6, 6 + 2 + 4, 4 + 3 + 4, 0};

// 6 x 10: X X^T, A A, A X; each of the sides: three projections, statistics, a tenth of a product and its QR; one
// projection, statistics, a hundredth of 9 d^3.
constexpr double kNewtonSchulz = 5 * (2 * 6 * 6 * 10 + 2 * 6 * 6 * 6 + 2 * 6 * 6 * 10);
constexpr double kPair = 2 * 6 * 6 * 10 + 2 * 6 * 10 * 10, kCubes = 6 * 6 * 6 + 10 * 10 * 10;
constexpr double kSoap = 4 * kPair + (2 + 8.0 / 3) * kCubes / 10, kShampoo = 2 * kPair + 9.0 * kCubes / 100;
constexpr double kSquares = 2 * 4 * (5 * 5 + 3 * 3);

const ByHand kByHand[]{
    {Optimizer::adam, "adam", kAdam, kNone, 0, 0, 0},
    {Optimizer::lamb, "lamb", {4, 4 + 16 + 8 + 8, 12 + 4, 2 + 12 + 4 + 3, 1 + 5 + 2}, kNone, 0, 0, 0},
    {Optimizer::sgd, "sgd", {1, 12, 8, 4, 0}, kNone, 0, 0, 0},
    {Optimizer::muon, "muon", kAdam, kMuon, 8, 15 * 4, kNewtonSchulz},
    {Optimizer::muon_clip, "muon-clip", kAdam, kMuon, 8, 15 * 4, kNewtonSchulz},
    {Optimizer::soap, "soap", kAdam, kAdam, 8, 15 * 8 + kSquares, kSoap},
    {Optimizer::shampoo, "shampoo", kAdam, kAdam, 8, 15 * 8 + kSquares, kShampoo},
    {Optimizer::adafactor, "adafactor", {3, 4 + 4 + 8, 4, 4 + 5 + 6, 1 + 2 + 2}, kNone, 0, 4 * (5 + 3), 0},
    {Optimizer::adam_8bit, "adam-8bit", kSmall, kNone, 2.03125, 0, 0},
    {Optimizer::paged_adam, "paged-adam", kAdam, kNone, 8, 0, 0},
    {Optimizer::paged_adam_8bit, "paged-adam-8bit", kSmall, kNone, 2.03125, 0, 0},
    {Optimizer::plain_sgd, "plain-sgd", {1, 8, 4, 2, 0}, kNone, 0, 0, 0}};

void check_passes(std::span<const UpdatePass> passes, const Passes& by_hand) {
  Passes sum{passes.size(), 0, 0, 0, 0};
  for (const UpdatePass& p : passes)
    sum.read += p.read, sum.written += p.written, sum.flops += p.flops, sum.commands += p.register_commands;
  CHECK(sum.count == by_hand.count);
  CHECK(sum.read == by_hand.read);
  CHECK(sum.written == by_hand.written);
  CHECK(sum.flops == by_hand.flops);
  CHECK(sum.commands == by_hand.commands);
}

double flops_of(const OptimizerRow& row, double small, double large, double iterations) {
  double flops = 0;
  for (const UpdateProduct& p : row.products) {
    const auto length = [&](Side side) { return side == Side::small ? small : large; };
    flops += 2 * length(p.rows) * length(p.columns) * length(p.inner) * p.times * (p.iterated ? iterations : 1) /
             static_cast<double>(p.every);
  }
  return flops;
}

}  // namespace

TEST_CASE("passes, states and products of each optimizer are those counted by hand") {
  REQUIRE(std::size(kByHand) == planner::optimizers().size());
  for (const ByHand& hand : kByHand) {
    CAPTURE(hand.name);
    const OptimizerRow& row = planner::row_of(hand.optimizer);
    CHECK(std::string(row.name) == hand.name);
    CHECK(std::string(words(hand.optimizer)[static_cast<size_t>(hand.optimizer)]) == hand.name);
    check_passes(row.passes, hand.rest);
    check_passes(row.matrix_passes, hand.matrices);
    CHECK(row.states.parameter == hand.states);
    CHECK(planner::state_bytes(row, 5, 3) == hand.state_5x3);
    CHECK(planner::state_bytes(row, 3, 5) == hand.state_5x3);
    CHECK(flops_of(row, 6, 10, 5) == doctest::Approx(hand.flops_6x10));
    CHECK(row.has_matrices() == (hand.state_5x3 > 0));
    CHECK((row.states_of_its_own || hand.states + hand.state_5x3 == 0));
  }
}

TEST_CASE("sides at and behind the longest: squares are left out of one side, or matrices are cut into even blocks") {
  struct Cut {
    Optimizer optimizer;
    double in, out;
    double blocks, squares;  // squares: elements over all blocks, of both sides
  };
  for (const Cut& cut : {Cut{Optimizer::soap, 10000, 7, 1, 1e8 + 49},
                         {Optimizer::soap, 10001, 7, 1, 49},
                         {Optimizer::soap, 10001, 10001, 1, 0},
                         {Optimizer::shampoo, 8192, 7, 1, 8192.0 * 8192 + 49},
                         {Optimizer::shampoo, 8193, 7, 2, 2 * (4096.5 * 4096.5 + 49)},
                         {Optimizer::shampoo, 7, 16385, 3, 3 * (16385.0 / 3 * 16385 / 3 + 49)},
                         {Optimizer::shampoo, 8193, 16385, 6, 6 * (4096.5 * 4096.5 + 16385.0 / 3 * 16385 / 3)},
                         {Optimizer::muon, 1e6, 7, 1, 0}}) {
    CAPTURE(cut.in);
    CAPTURE(cut.out);
    const OptimizerRow& row = planner::row_of(cut.optimizer);
    const planner::MatrixBlocks blocks = planner::blocks_of(row, cut.in, cut.out);
    CHECK(blocks.count == cut.blocks);
    CHECK(blocks.count * blocks.in * blocks.out == doctest::Approx(cut.in * cut.out));
    CHECK(planner::state_bytes(row, cut.in, cut.out) ==
          doctest::Approx(row.matrix_states.parameter * cut.in * cut.out + 8 * cut.squares));
  }
}
