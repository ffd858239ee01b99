// Stacked bars: parts end to end, sums, order, labels and colours.
#include "cli/svg/stacked_bars.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "cli/svg/frame.h"
#include "tests/cli/svg/xml.h"

using namespace cli::svg;

namespace {

StackedBars bars() {
  return {.title = "the step",
          .axis = "share",
          .series = {"compute", "serialized", "exposed"},
          .bars = {{.label = "first", .parts = {0.6, 0.3, 0.1}, .note = "9 s"},
                   {.label = "second", .parts = {0.2, 0, 0.3}, .note = "5 s", .heading = "others"}},
          .nothing = "no step"};
}

Xml drawn(const StackedBars& chart) {
  const Xml xml = read_xml(draw(chart));
  REQUIRE(xml.wrong == "");
  CHECK(outside(xml) == "");
  return xml;
}

/// The parts, bar by bar; not the squares of the legend.
std::vector<Element> parts(const Xml& xml) {
  std::vector<Element> out;
  for (const Element& e : xml.elements)
    if (e.name == "rect" && e.attributes.find("edge thin") != std::string::npos) out.push_back(e);
  return out;
}

double right(const Element& e) { return attribute(e, "x") + attribute(e, "width"); }

Element text(const Xml& xml, const std::string& wanted) {
  for (const Element& e : xml.elements)
    if (e.name == "text" && e.text == wanted) return e;
  FAIL("no text ", wanted);
  return {};
}

bool has_class(const Element& e, const std::string& name) {
  return e.attributes.find("class=\"" + name) != std::string::npos;
}

}  // namespace

TEST_CASE("parts of a bar stand end to end from zero to the sum, and parts of zero are left out") {
  const Xml xml = drawn(bars());
  const auto all = parts(xml);
  REQUIRE(all.size() == 5);
  for (size_t i : {1, 2, 4}) CHECK(attribute(all[i], "x") == doctest::Approx(right(all[i - 1])).epsilon(1e-4));
  const double zero = attribute(text(xml, "0 %"), "x"), whole = attribute(text(xml, "100 %"), "x");
  CHECK(attribute(all[0], "x") == doctest::Approx(zero).epsilon(1e-4));
  CHECK(attribute(all[3], "x") == doctest::Approx(zero).epsilon(1e-4));
  CHECK(right(all[2]) == doctest::Approx(whole).epsilon(1e-4));
  CHECK(right(all[4]) == doctest::Approx((zero + whole) / 2).epsilon(1e-4));
  const char* classes[] = {"f0 ", "f1 ", "f2 ", "f0 ", "f2 "};
  for (size_t i = 0; i < all.size(); ++i) CHECK(has_class(all[i], classes[i]));
}

TEST_CASE("bars keep their order from top to bottom, with labels to the left, notes behind and headings above") {
  const Xml xml = drawn(bars());
  const auto all = parts(xml);
  CHECK(attribute(all[0], "y") == attribute(all[2], "y"));
  CHECK(attribute(all[3], "y") > attribute(all[0], "y") + attribute(all[0], "height"));
  const auto beside = [&](const char* label, const Element& part) {
    const double y = attribute(text(xml, label), "y");
    return y > attribute(part, "y") && y < attribute(part, "y") + attribute(part, "height");
  };
  for (const char* of_first : {"first", "9 s"}) CHECK(beside(of_first, all[0]));
  for (const char* of_second : {"second", "5 s"}) CHECK(beside(of_second, all[3]));
  CHECK(attribute(text(xml, "first"), "x") < attribute(all[0], "x"));
  CHECK(attribute(text(xml, "9 s"), "x") > right(all[2]));
  CHECK(attribute(text(xml, "5 s"), "x") > right(all[4]));
  CHECK(attribute(text(xml, "others"), "y") < attribute(all[3], "y"));
  CHECK(attribute(text(xml, "others"), "y") > attribute(all[0], "y") + attribute(all[0], "height"));
}

TEST_CASE("a part has its figure inside where there is room, and as a tip everywhere") {
  StackedBars chart = bars();
  chart.bars[0].parts = {0.98, 0.013, 0.007};
  const std::string page = draw(chart);
  const Xml xml = drawn(chart);
  CHECK(says(xml, "98.0 %"));
  CHECK_FALSE(says(xml, "1.3 %"));
  for (const char* tip : {"first: compute 98.0 %", "first: serialized 1.3 %", "first: exposed 0.7 %"})
    CHECK_MESSAGE(page.find("<title>" + std::string(tip) + "</title>") != std::string::npos, tip);
}

TEST_CASE("an empty name leaves a series out of the legend; later series keep their colours") {
  StackedBars chart = bars();
  chart.series[1] = "";
  for (Bar& bar : chart.bars) bar.parts[1] = 0;
  const Xml xml = drawn(chart);
  CHECK(count(xml, "rect") == 1 + 2 + 4);  // the page, the legend, the parts
  for (const Element& e : parts(xml)) CHECK_FALSE(has_class(e, "f1"));
  CHECK(has_class(parts(xml)[1], "f2"));
}

TEST_CASE("a bar of nothing has a label and a note, but no parts") {
  StackedBars chart = bars();
  chart.bars = {{.label = "idle", .parts = {0, 0, 0}, .note = "0 s"}};
  const Xml xml = drawn(chart);
  CHECK(parts(xml).empty());
  for (const char* wanted : {"idle", "0 s", "exposed 0.0 %", "100 %"}) CHECK_MESSAGE(says(xml, wanted), wanted);
}

TEST_CASE("a page of many bars grows with them, and more series than colours begin again") {
  StackedBars chart{.title = "many", .axis = "s", .percent = false, .series = {}, .bars = {}, .nothing = ""};
  for (int i = 0; i < 10; ++i) chart.series.push_back("series " + std::to_string(i));
  for (int i = 0; i < 60; ++i) chart.bars.push_back({"bar " + std::to_string(i), std::vector<double>(10, 1e-9)});
  const Xml xml = drawn(chart);
  const auto all = parts(xml);
  REQUIRE(all.size() == 600);
  CHECK(has_class(all[8], "f0 "));
  CHECK(has_class(all[9], "f1 "));
  CHECK(attribute(xml.elements[0], "width") == kPageWidth);
  CHECK(attribute(xml.elements[0], "height") > attribute(all.back(), "y") + attribute(all.back(), "height"));
  for (int i = 0; i < 60; ++i) CHECK(says(xml, "bar " + std::to_string(i)));
}

TEST_CASE("labels, notes and series of bars are escaped, and the same bars are the same bytes") {
  StackedBars chart = bars();
  chart.bars[0].label = "a<b", chart.bars[0].note = "9 s & more", chart.series[0] = "c>d";
  const Xml xml = drawn(chart);
  for (const char* wanted : {"a&lt;b", "9 s &amp; more", "c&gt;d"}) CHECK_MESSAGE(says(xml, wanted), wanted);
  CHECK(draw(chart) == draw(chart));
  chart.bars.clear();
  CHECK(says(drawn(chart), "no step"));
}
