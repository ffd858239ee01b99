// Shapes of an operator's inputs in two traces.
#include <doctest/doctest.h>

#include "planner/trace/inputs.h"

using planner::trace::shapes_agree;

TEST_CASE("shapes agree in all that the event says") {
  const struct {
    const char *node, *event;
    bool agree;
  } rows[] = {
      {"[[3, 4], [4, 2]]", "[[3, 4], [4, 2]]", true},
      {"[[3,4],[4,2]]", "[[3, 4], [4, 2]]", true},
      {"[[3, 4], [4, 2]]", "[[3, 4], [4, 3]]", false},
      {"[[3, 4], [4, 2]]", "[[3, 4], [42]]", false},
      {"[[3, 4], []]", "[[3, 4]]", false},
      {"[[[48], [32]], []]", "[[], []]", true},  // of a list of tensors the event says nothing
      {"[[[48], [32]], []]", "[[[48], [32]], []]", true},
      {"[[[48], [32]], []]", "[[[48], [31]], []]", false},
      {"[[], [[]]]", "[[], []]", true},
      {"[[12]]", "[[1, 2]]", false},
      {"", "[]", true},
  };
  for (const auto& row : rows) {
    INFO(row.node, " ", row.event);
    CHECK(shapes_agree(row.node, row.event) == row.agree);
  }
}
