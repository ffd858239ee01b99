#include "cli/svg/roofline.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/cli/svg/xml.h"

using namespace cli::svg;

namespace {

Roofline example() {
  return {.title = "a model: roofline",
          .subtitle = "what it shows",
          .series = {"gemm", "", "communication"},
          .roofs = {{"bf16 100 TFLOP/s", 1e14, true}, {"tf32 50 TFLOP/s", 5e13, false}},
          .memory_label = "memory 1 TB/s",
          .memory_bytes_per_second = 1e12,
          .marks = {{.label = "fc1", .tip = "fc1: 60 %", .flops = 8e13, .bytes = 1e11, .seconds = 1, .share = 0.2},
                    {.label = "norm", .flops = 1e11, .bytes = 5e11, .seconds = 1, .share = 0.1},
                    {.label = "tiny", .flops = 1e11, .bytes = 1e12, .seconds = 1, .share = 0.001},
                    {.label = "all-reduce", .bytes = 1e11, .seconds = 1, .share = 0.099, .series = 2}},
          .nothing = "nothing to see"};
}

std::vector<Element> circles(const Xml& xml) {
  std::vector<Element> out;
  for (const Element& e : xml.elements)
    if (e.name == "circle") out.push_back(e);
  return out;
}

}  // namespace

TEST_CASE("a mark for each operator, sized by its share, below the roofs") {
  const Xml xml = read_xml(draw(example()));
  REQUIRE(xml.wrong == "");
  const auto marks = circles(xml);
  REQUIRE(marks.size() == 4);
  CHECK(attribute(marks[0], "r") > attribute(marks[1], "r"));
  CHECK(attribute(marks[1], "r") > attribute(marks[2], "r"));
  CHECK(attribute(marks[0], "cx") > attribute(marks[1], "cx"));  // more FLOP per byte
  CHECK(attribute(marks[0], "cy") < attribute(marks[1], "cy"));  // more FLOP per second
  for (const char* text : {"fc1", "norm", "all-reduce", "bf16 100 TFLOP/s", "tf32 50 TFLOP/s", "memory 1 TB/s", "gemm"})
    CHECK_MESSAGE(says(xml, text), text);
  CHECK_FALSE(says(xml, "tiny"));  // too small a share
  CHECK(outside(xml) == "");
}

TEST_CASE("what has no FLOP stands on the strip alone") {
  Roofline chart = example();
  chart.marks.resize(3);
  const Xml above = read_xml(draw(chart));
  CHECK_FALSE(says(above, "without FLOP: copies and communication"));
  chart.marks = {example().marks[3]};
  const Xml strip = read_xml(draw(chart));
  CHECK(says(strip, "without FLOP: copies and communication"));
  CHECK_FALSE(says(strip, "memory 1 TB/s"));
  CHECK(circles(strip).size() == 1);
}

TEST_CASE("marks in one place share a label, which counts those that it has no line for") {
  Roofline chart = example();
  chart.marks.clear();
  for (int i = 0; i < 7; ++i)
    chart.marks.push_back(
        {.label = "op" + std::to_string(i), .flops = 5e13, .bytes = 1e11, .seconds = 1, .share = 0.1});
  const Xml xml = read_xml(draw(chart));
  for (const char* text : {"op0", "op3", "and 3 more 30.0 %"}) CHECK_MESSAGE(says(xml, text), text);
  CHECK_FALSE(says(xml, "op4"));
}

TEST_CASE("a roofline without marks says why") {
  Roofline chart = example();
  chart.marks.clear();
  const Xml xml = read_xml(draw(chart));
  CHECK(xml.wrong == "");
  CHECK(says(xml, "nothing to see"));
}

TEST_CASE("the same chart is the same text") { CHECK(draw(example()) == draw(example())); }
