// The size of a space without walking it, against a walk.
#include "dsl/space_size.h"

#include <doctest/doctest.h>

#include <map>

#include "tests/planner/search/open_sample.h"

namespace {

double walked(const dsl::Space& space) {
  dsl::Cursor cursor(space);
  double count = 0;
  while (cursor.next()) ++count;
  return count;
}

}  // namespace

TEST_CASE("the size of a space is that of its walk") {
  const struct {
    sample::Sets sets;
    bool exact;
    double within;  // of the walk's count
  } rows[] = {
      {{}, true, 0},
      {{"parallelism.tp=[1, 2, 4]", "parallelism.zero=[0, 1]", "where=[tp > 1]"}, true, 0},
      {{"parallelism.pp=divisors(8)", "parallelism.interleave=divisors(8 / pp)"}, false, 0.1},
      // Two of three values of tp leave no whole dp, and count once each.
      {{"parallelism.tp=[1, 3, 5]", "parallelism.dp=cluster.gpus / tp", "parallelism.microbatch=range(1, 100)"},
       false,
       0.2},
  };
  for (const auto& row : rows) {
    const planner::OpenScenario open = sample::opened(sample::kGpt, row.sets);
    const dsl::SpaceSize size = dsl::size_of(open.space, 256);
    CHECK(size.exact == row.exact);
    CHECK(std::abs(size.candidates / walked(open.space) - 1) <= row.within);
    CHECK(size.values.size() == open.space.items().size());
  }
}

TEST_CASE("the size of a space tells how many values each choice has") {
  const planner::OpenScenario open = sample::opened(
      sample::kGpt,
      {"parallelism.tp=[1, 2, 4]", "parallelism.dp=cluster.gpus / tp", "parallelism.microbatch=divisors(dp)"});
  const dsl::SpaceSize size = dsl::size_of(open.space, 256);
  std::map<std::string, double> values;
  for (size_t i = 0; i < open.space.items().size(); ++i) values[open.space.items()[i].path] = size.values[i];
  CHECK(values.at("parallelism.tp") == 3);
  CHECK(values.at("parallelism.dp") == 1);                                        // computed
  CHECK(values.at("parallelism.microbatch") == doctest::Approx(3).epsilon(0.1));  // 4, 3 and 2 divisors
}
