// Rows of optimizers and of types of frozen weights.
#include "planner/scenario/optimizers.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

using planner::BaseType;
using planner::OptimizerRow;
using planner::UpdatePass;

TEST_CASE("each optimizer has a name of its own, a source, and one pass that writes the weights") {
  std::set<std::string> names;
  for (const OptimizerRow& row : planner::optimizers()) {
    INFO(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(std::string(row.source).size() > 5);
    CHECK(&planner::row_of(row.optimizer) == &row);
    for (const auto& passes : {row.passes, row.matrix_passes}) {
      int writers = 0;
      for (const UpdatePass& pass : passes) writers += pass.writes_weights;
      CHECK(writers == (passes.empty() ? 0 : 1));
    }
    CHECK(row.matrix_passes.empty() == row.products.empty());
    CHECK((row.longest_side > 0) == (row.long_side != planner::LongSide::whole));
  }
}

TEST_CASE("what a pass of states reads it keeps") {
  for (const OptimizerRow& row : planner::optimizers()) {
    if (!row.states_of_its_own || row.passes.size() != 1) continue;
    INFO(row.name);
    CHECK(row.passes.front().read == doctest::Approx(8 + row.states.parameter));
    CHECK(row.passes.front().written == doctest::Approx(4 + row.states.parameter));
  }
}

TEST_CASE("bytes of frozen weights with their scales") {
  struct Row {
    BaseType type;
    double bytes;
  };
  // Four bits and 8 of each 64 weights, 32 of each 64 x 256: 4.127 bits (Dettmers et al. 2023, section 3).
  for (const Row& row : {Row{BaseType::none, 0}, Row{BaseType::nf4, 4.127 / 8}, Row{BaseType::fp4, 4.127 / 8},
                         Row{BaseType::int4, 4.5 / 8}, Row{BaseType::int8, 1}, Row{BaseType::fp8, 1}})
    CHECK(planner::row_of(row.type).bytes == doctest::Approx(row.bytes).epsilon(1e-4));
}
