// Names made of constant words.
#include "planner/workload/label.h"

#include <doctest/doctest.h>

#include <string>

using planner::Label;

namespace {

TEST_CASE("a label reads as its words in a row") {
  const Label matrix = "attention.qkv";
  CHECK(matrix.str() == "attention.qkv");
  CHECK((matrix + ".dgrad").str() == "attention.qkv.dgrad");
  CHECK((Label("fsdp.") + "experts-" + "all-gather").str() == "fsdp.experts-all-gather");
  CHECK(matrix.str() == "attention.qkv");  // itself as before
}

TEST_CASE("labels are equal where they read alike, however they were made") {
  CHECK(Label("a") + ".b" == Label("a.b"));
  CHECK(Label(std::string("a.b")) == Label("a") + ".b");
  CHECK(Label("a") + "b" != Label("a") + "c");
  CHECK(Label("") == Label());
  CHECK(Label().empty());
  CHECK(!Label("a").empty());
}

TEST_CASE("a text outlives the string that it came in, and any number of words is joined") {
  Label label;
  {
    const std::string text = "row of a user's list";
    label = Label(text);
  }
  std::string expected = label.str();
  for (int i = 0; i < 9; ++i) {
    label = label + ".x";
    expected += ".x";
    CHECK(label.str() == expected);
  }
}

}  // namespace
