// Releases: which texts are one, and which lie in a range.
#include <doctest/doctest.h>

#include <string>

#include "planner/resolve/recipe_rules.h"

using planner::parse_release;
using planner::ReleaseRange;

TEST_CASE("a release is a year, a month and perhaps a patch, or some month of a year") {
  for (const char* good : {"25.09", "26.02.01", "24.x", "20.12"}) CHECK_MESSAGE(parse_release(good), std::string(good));
  for (const char* bad : {"", "25", "25.", "25.9", "25.13", "25.00", "2025.09", "25.09.1", "25.09.01.02", "25.09-01",
                          "v25.09", "25.xx", "any", "x.09"})
    CHECK_FALSE_MESSAGE(parse_release(bad), std::string(bad));
}

TEST_CASE("releases are compared by year, month and patch") {
  CHECK(*parse_release("25.09") < *parse_release("25.11"));
  CHECK(*parse_release("25.11") < *parse_release("26.02"));
  CHECK(*parse_release("26.02") < *parse_release("26.02.01"));
  CHECK(*parse_release("24.x") < *parse_release("24.01"));
}

TEST_CASE("an end of a range is as exact as it is written") {
  struct Case {
    const char *from, *until, *release;
    bool holds;
  };
  for (const Case& c : {Case{"25.09", "25.09", "25.09", true},
                        {"25.09", "25.09", "25.09.01", true},
                        {"25.09", "25.09", "25.10", false},
                        {"25.09", "25.09", "25.08", false},
                        {"26.04.01", "", "26.04", false},
                        {"26.04.01", "", "26.04.01", true},
                        {"26.04.01", "", "26.06", true},
                        {"", "26.02.01", "26.02.02", false},
                        {"24.x", "24.x", "24.07", true},
                        {"24.x", "24.x", "24.x", true},
                        {"24.x", "24.x", "25.01", false},
                        {"24.03", "", "24.x", false},
                        {"", "", "24.x", true}}) {
    CAPTURE(std::string(c.from));
    CAPTURE(std::string(c.until));
    CAPTURE(std::string(c.release));
    CHECK(ReleaseRange{parse_release(c.from), parse_release(c.until)}.holds(parse_release(c.release)) == c.holds);
  }
  CHECK(ReleaseRange{}.holds({}));
  // Of a year whose month is not known: for each month.
  const auto surely = [](const char* from, const char* until) {
    return ReleaseRange{parse_release(from), parse_release(until)}.surely_holds(*parse_release("25.x"));
  };
  CHECK(surely("", "25.x"));
  CHECK(surely("24.03", "26.01"));
  CHECK(surely("", ""));
  CHECK_FALSE(surely("", "25.01"));
  CHECK_FALSE(surely("25.02", ""));
  CHECK_FALSE(ReleaseRange{.from = parse_release("25.09"), .until = {}}.holds({}));
}
