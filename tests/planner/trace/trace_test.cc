// Texts by numbers, and the order of events.
#include "planner/trace/trace.h"

#include <doctest/doctest.h>

#include <memory>
#include <utility>
#include <vector>

using namespace planner::trace;

TEST_CASE("a copy of names knows its own texts, and so does what was moved") {
  auto first = std::make_unique<NameTable>();
  CHECK(first->number("a") == 0);
  CHECK(first->number("b, longer than what a string holds in place") == 1);
  CHECK(first->number("a") == 0);
  NameTable copy = *first, assigned;
  assigned.number("x");
  assigned = copy;
  NameTable moved = std::move(*first);
  first.reset();
  for (NameTable* names : {&copy, &assigned, &moved}) {
    CHECK(names->size() == 2);
    CHECK(names->number("a") == 0);
    CHECK(names->number("b, longer than what a string holds in place") == 1);
    CHECK(names->number("c") == 2);
    CHECK((*names)[0] == "a");
  }
  std::vector<RankTrace> grows(1);
  grows[0].names.number("a");
  grows.resize(9);
  CHECK(grows[0].names.number("a") == 0);
  CHECK(grows[0].names.number("b") == 1);
}

TEST_CASE("events come by their begins, of equal ones the longer first, of equal times as they were") {
  RankTrace trace;
  trace.events = {{.start_ns = 5, .duration_ns = 1},
                  {.start_ns = 2, .duration_ns = 1, .correlation = 1},
                  {.start_ns = 2, .duration_ns = 1, .correlation = 2},
                  {.start_ns = 2, .duration_ns = 7}};
  sort_events(trace);
  CHECK(trace.events[0].duration_ns == 7);
  CHECK(trace.events[1].correlation == 1);
  CHECK(trace.events[2].correlation == 2);
  CHECK(trace.events[3].start_ns == 5);
}
