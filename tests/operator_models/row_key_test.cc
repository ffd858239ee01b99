// Rows by a key of two words, as a map of the joined texts finds them.
#include "operator_models/row_key.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

namespace {

using Rows = std::map<std::string, int>;
const Rows kRows{{"", 0}, {"compute+nvlink", 1}, {"nvlink", 2}, {"nvlink-all-reduce", 3}, {"nvlink-all-to-all", 4}};

TEST_CASE("a row of two words is the one of the text that they make") {
  for (const char* first : {"", "compute", "nvlink", "nvlink-all"})
    for (const char* second : {"", "nvlink", "all-reduce", "all-to-all", "reduce", "to-all"})
      for (char between : {'-', '+'}) {
        CAPTURE(first);
        CAPTURE(second);
        const auto row = kRows.find(std::string(first) + between + second);
        CHECK(operator_models::row_between(kRows, first, between, second) ==
              (row == kRows.end() ? nullptr : &row->second));
      }
}

TEST_CASE("a row of one word is the one of that text") {
  for (const char* word : {"", "nvlink", "nvlink-", "compute"}) {
    CAPTURE(word);
    const auto row = kRows.find(word);
    CHECK(operator_models::row_named(kRows, word) == (row == kRows.end() ? nullptr : &row->second));
  }
}

}  // namespace
