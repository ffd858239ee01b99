// The fronts, stacked bars and grids of pictures.
#include <doctest/doctest.h>

#include <algorithm>

#include "cli/svg/picture.h"
#include "tests/cli/svg/xml.h"

using namespace cli::svg;

namespace {

Front front(std::vector<std::pair<double, double>> points) {
  Front chart{.title = "plans", .x = {"days"}, .y = {"USD"}, .nothing = "none"};
  for (size_t i = 0; i < points.size(); ++i)
    chart.points.push_back(
        {.x = points[i].first, .y = points[i].second, .label = "p" + std::to_string(i), .best = i == 0});
  return chart;
}

StackedBars bars() {
  return {.title = "where the step goes",
          .axis = "share of the step",
          .series = {"compute", "serialized", "exposed"},
          .bars = {{.label = "the step", .parts = {0.7, 0.25, 0.05}, .note = "12.35 s"},
                   {.label = "tp", .parts = {0, 0.25, 0}, .heading = "by class"}},
          .nothing = "none"};
}

/// Widths of the filled rectangles of a series' colour, without its square in the legend.
std::vector<double> widths(const Xml& xml, const std::string& colour) {
  std::vector<double> out;
  for (const Element& e : xml.elements)
    if (e.name == "rect" && e.attributes.find("\"" + colour + " ") != std::string::npos)
      out.push_back(attribute(e, "width"));
  return out;
}

Grid grid(size_t rows, size_t columns, const std::string& name = "step") {
  Grid chart{.title = "roads", .x_title = "hardware", .y_title = "model", .nothing = "none"};
  for (size_t c = 0; c < columns; ++c) chart.columns.push_back(name + " " + std::to_string(c));
  for (size_t r = 0; r < rows; ++r) chart.rows.push_back(name + " " + std::to_string(r));
  Panel panel{.title = "serialized"};
  for (size_t r = 0; r < rows; ++r) {
    panel.cells.emplace_back();
    for (size_t c = 0; c < columns; ++c)
      panel.cells[r].push_back({.value = static_cast<double>(c) / static_cast<double>(columns),
                                .text = std::to_string(r) + "." + std::to_string(c)});
  }
  chart.panels = {panel};
  return chart;
}

}  // namespace

TEST_CASE("the front has what no other point beats on both axes, from the best x on") {
  using Indices = std::vector<size_t>;
  CHECK(undominated(front({{3, 3}, {1, 5}, {2, 4}, {2, 6}, {4, 3}})) == Indices{1, 2, 0});
  CHECK(undominated(front({{1, 1}, {1, 1}, {1, 2}})) == Indices{0});
  CHECK(undominated(front({})).empty());
  Front more = front({{3, 3}, {1, 5}, {2, 4}, {2, 6}});
  more.y.more = true;
  CHECK(undominated(more) == Indices{1, 3});
}

TEST_CASE("a front shows and labels every point, and rings the best") {
  const Xml xml = read_xml(draw(front({{3, 3}, {1, 5}, {2, 4}, {2.5, 6}})));
  REQUIRE(xml.wrong == "");
  CHECK(count(xml, "circle") == 4 + 1 + 3);  // the points, the ring, the key
  CHECK(count(xml, "polyline") == 1);
  for (const char* text : {"p0", "p1", "p2", "p3", "days", "USD"}) CHECK_MESSAGE(says(xml, text), text);
  CHECK(outside(xml) == "");
  CHECK(says(read_xml(draw(front({}))), "none"));
  const Xml single = read_xml(draw(front({{5, 5}})));
  CHECK(single.wrong == "");
  CHECK(count(single, "polyline") == 0);
}

TEST_CASE("parts of a bar are as wide as their shares") {
  const Xml xml = read_xml(draw(bars()));
  REQUIRE(xml.wrong == "");
  const auto compute = widths(xml, "f0"), serialized = widths(xml, "f1"), exposed = widths(xml, "f2");
  REQUIRE(compute.size() == 1);
  REQUIRE(serialized.size() == 2);
  REQUIRE(exposed.size() == 1);
  CHECK(serialized[0] == doctest::Approx(serialized[1]).epsilon(1e-3));
  CHECK(compute[0] / serialized[0] == doctest::Approx(0.7 / 0.25).epsilon(1e-3));
  CHECK(compute[0] / exposed[0] == doctest::Approx(0.7 / 0.05).epsilon(1e-3));
  for (const char* text : {"70.0 %", "25.0 %", "12.35 s", "by class", "share of the step", "100 %", "serialized"})
    CHECK_MESSAGE(says(xml, text), text);
  CHECK(outside(xml) == "");
}

TEST_CASE("a bar alone has its figures in the legend, figures that are no fractions their prefix") {
  StackedBars chart = bars();
  chart.bars.resize(1);
  CHECK(says(read_xml(draw(chart)), "exposed 5.0 %"));
  chart.percent = false;
  chart.bars[0].parts = {70000, 25000, 5000};
  const Xml xml = read_xml(draw(chart));
  for (const char* text : {"compute 70k", "25k", "100k"}) CHECK_MESSAGE(says(xml, text), text);
  chart.bars.clear();
  CHECK(says(read_xml(draw(chart)), "none"));
}

TEST_CASE("long names of bars are broken, and everything stays on the page") {
  StackedBars chart = bars();
  chart.bars[1].label = "data parallel gradients of the experts over infiniband, reduced in buckets";
  const Xml xml = read_xml(draw(chart));
  CHECK(xml.wrong == "");
  CHECK(outside(xml) == "");
  CHECK_FALSE(says(xml, chart.bars[1].label));
}

TEST_CASE("a grid prints every cell, from 1 x 1 to 10 x 12, with short names and long ones") {
  for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 3}, {4, 5}, {10, 12}}) {
    const auto& said = rows;
    for (const char* name : {"step", "gb300-nvl72 with offloaded collectives and half the bytes, two years later"}) {
      CAPTURE(said);
      CAPTURE(std::string(name));
      const Grid chart = grid(static_cast<size_t>(rows), static_cast<size_t>(columns), name);
      const Xml xml = read_xml(draw(chart));
      REQUIRE(xml.wrong == "");
      CHECK(outside(xml) == "");
      for (const auto& row : chart.panels[0].cells)
        for (const Cell& cell : row) CHECK(says(xml, cell.text));
    }
  }
}

TEST_CASE("cells differ in colour with their values; one without a value stays empty") {
  Grid chart = grid(1, 3);
  chart.panels[0].cells[0][0] = {};
  chart.panels[0].cells[0][1] = {.value = 0.5, .text = "50 %", .note = "1.2 s", .tip = "half"};
  chart.panels[0].cells[0][2] = {.value = 3, .text = "300 %"};
  chart.panels.push_back({.title = "exposed", .cells = chart.panels[0].cells, .low = 0, .high = 6});
  const std::string text = draw(chart);
  const Xml xml = read_xml(text);
  REQUIRE(xml.wrong == "");
  for (const char* wanted : {"-", "50 %", "1.2 s", "300 %", "serialized", "exposed", "hardware", "model"})
    CHECK_MESSAGE(says(xml, wanted), wanted);
  std::vector<std::string> fills;
  for (const Element& e : xml.elements)
    if (const size_t at = e.attributes.find("style=\"fill:");
        e.name == "rect" && e.attributes.find("edge") != std::string::npos)
      fills.push_back(e.attributes.substr(at, 19));
  REQUIRE(fills.size() == 4);
  CHECK(fills[0] != fills[1]);
  CHECK(fills[0] == fills[3]);  // half of the panel's range in both
  CHECK(says(read_xml(draw(Grid{.nothing = "none"})), "none"));
}
