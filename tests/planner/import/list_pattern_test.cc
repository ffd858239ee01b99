// Layer patterns as lists.
#include "planner/import/list_pattern.h"

#include <doctest/doctest.h>

namespace {

std::string pattern(const std::string& text) {
  const auto list = planner::list_pattern(text);
  if (!list) return "none";
  const auto period = planner::period_of_ones(*list);
  return std::to_string(list->size()) +
         (period ? " " + std::to_string(period->first) + " " + std::to_string(period->every) : " uneven");
}

}  // namespace

TEST_CASE("layer patterns are lists of zeros and ones") {
  CHECK(pattern("[0,1]") == "2 0 2");
  CHECK(pattern("([0]*3+[1]*58)") == "61 3 1");
  CHECK(pattern("([0]+[1]*23)") == "24 1 1");
  CHECK(pattern("([0]*3 + [1]*1)*3") == "12 0 4");
  CHECK(pattern("([1]*3+[0]*2)*2") == "10 uneven");
  CHECK(pattern("[0,0]") == "2 uneven");
  CHECK(pattern("[0,0,1,0,1]") == "5 1 2");
  for (const char* bad : {"", "3", "[1]*", "[1", "([1]", "[1]*1000000", "[1]]", "x", "[1]+"})
    CHECK(pattern(bad) == "none");
  CHECK(pattern(std::string(1000, '(')) == "none");
}
