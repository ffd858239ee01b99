// Heat maps: places of cells and labels, colours, extreme sizes.
#include "cli/svg/grid.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "cli/svg/frame.h"
#include "cli/svg/palette.h"
#include "cli/svg/text.h"
#include "tests/cli/svg/xml.h"

using namespace cli::svg;

namespace {

Grid grid(size_t rows, size_t columns, const std::string& name = "c") {
  Grid chart{.title = "growth", .x_title = "hardware", .y_title = "model", .nothing = "no machine"};
  for (size_t c = 0; c < columns; ++c) chart.columns.push_back(name + " " + std::to_string(c));
  for (size_t r = 0; r < rows; ++r) chart.rows.push_back("row " + std::to_string(r));
  chart.panels = {{.title = "serialized", .cells = std::vector(rows, std::vector<Cell>(columns, {0.5, "50 %"}))}};
  return chart;
}

Xml drawn(const Grid& chart) {
  const Xml xml = read_xml(draw(chart));
  REQUIRE(xml.wrong == "");
  return xml;
}

/// The cells in the order of drawing: row by row.
std::vector<Element> cells(const Xml& xml) {
  std::vector<Element> out;
  for (const Element& e : xml.elements)
    if (e.name == "rect" && e.attributes.find(" thin\"") != std::string::npos) out.push_back(e);
  return out;
}

Element text(const Xml& xml, const std::string& wanted) {
  for (const Element& e : xml.elements)
    if (e.name == "text" && e.text == wanted) return e;
  FAIL("no text ", wanted);
  return {};
}

std::string fill(const Element& e) {
  const size_t at = e.attributes.find("fill:");
  return at == std::string::npos ? "" : e.attributes.substr(at + 5, 7);
}

}  // namespace

TEST_CASE("cells of a grid lie side by side, below their column's label and beside their row's") {
  const Xml xml = drawn(grid(3, 4));
  const auto all = cells(xml);
  REQUIRE(all.size() == 12);
  const double wide = attribute(all[0], "width"), high = attribute(all[0], "height");
  for (size_t i = 0; i < all.size(); ++i) {
    const size_t r = i / 4, c = i % 4;
    const double x = attribute(all[i], "x"), y = attribute(all[i], "y");
    CHECK(x == doctest::Approx(attribute(all[0], "x") + wide * static_cast<double>(c)).epsilon(1e-4));
    CHECK(y == doctest::Approx(attribute(all[0], "y") + high * static_cast<double>(r)).epsilon(1e-4));
    const Element column = text(xml, "c " + std::to_string(c)), row = text(xml, "row " + std::to_string(r));
    CHECK(attribute(column, "x") == doctest::Approx(x + wide / 2).epsilon(1e-4));
    CHECK(attribute(column, "y") < attribute(all[0], "y"));
    CHECK(attribute(row, "x") < attribute(all[0], "x"));
    CHECK(attribute(row, "y") > y);
    CHECK(attribute(row, "y") < y + high);
  }
  CHECK(attribute(text(xml, "hardware"), "y") > attribute(all.back(), "y") + high);
  CHECK(text(xml, "model").attributes.find("rotate(-90") != std::string::npos);
}

TEST_CASE("a grid of one cell is no wider than a cell may be") {
  const Xml xml = drawn(grid(1, 1));
  REQUIRE(cells(xml).size() == 1);
  CHECK(attribute(cells(xml)[0], "width") == 150);
  CHECK(attribute(xml.elements[0], "width") == kPageWidth);
  CHECK(outside(xml) == "");
}

TEST_CASE("twelve columns with long names: turned labels start above their cells and end on the page") {
  const Xml xml = drawn(grid(2, 12, "h100-sxm-with-twice-the-network-and-four-times-the-flops-of-today"));
  const auto all = cells(xml);
  REQUIRE(all.size() == 24);
  const double page = attribute(xml.elements[0], "width"), angle = 40 * std::acos(-1.0) / 180;
  CHECK(page > kPageWidth);
  size_t turned = 0;
  for (const Element& e : xml.elements) {
    if (e.attributes.find("rotate(-40") == std::string::npos) continue;
    const Element& cell = all[turned++];
    const double length = attribute(e, "textLength");
    CHECK(attribute(e, "x") == doctest::Approx(attribute(cell, "x") + attribute(cell, "width") / 2).epsilon(1e-4));
    CHECK(attribute(e, "y") < attribute(cell, "y"));
    CHECK(attribute(e, "x") + length * std::cos(angle) <= page);
    CHECK(attribute(e, "y") - length * std::sin(angle) > attribute(text(xml, "serialized"), "y"));
  }
  CHECK(turned == 12);
  CHECK(attribute(all.back(), "x") + attribute(all.back(), "width") < page);
}

TEST_CASE("a cell is as wide as the widest text or note, and higher where there are notes") {
  Grid chart = grid(2, 8);
  const auto plain = cells(drawn(chart));
  chart.panels[0].cells[1][2] = {0.5, "50 % of a very long step of the run", "12.3 s"};
  const auto noted = cells(drawn(chart));
  const double needed = text_width(chart.panels[0].cells[1][2].text, 12);
  for (const Element& e : noted) {
    CHECK(attribute(e, "width") > needed);
    CHECK(attribute(e, "height") > attribute(plain[0], "height"));
    CHECK(attribute(e, "width") == attribute(noted[0], "width"));
  }
}

TEST_CASE("a cell's colour is its place between the panel's low and high; beyond them it is the last one") {
  Grid chart = grid(1, 5);
  chart.panels[0].low = 10, chart.panels[0].high = 30;
  const double values[] = {-5, 10, 20, 30, 400};
  for (size_t c = 0; c < 5; ++c) chart.panels[0].cells[0][c].value = values[c];
  const auto all = cells(drawn(chart));
  const double shares[] = {0, 0, 0.5, 1, 1};
  for (size_t c = 0; c < 5; ++c) CHECK(fill(all[c]) == shade(shares[c]).fill);
  chart.panels[0].cells[0][2] = {.value = {}, .text = "n/a", .tip = "does <not> fit & never will"};
  const Xml empty = drawn(chart);
  CHECK(fill(cells(empty)[2]) == "");
  CHECK(says(empty, "n/a"));
  CHECK(draw(chart).find("<title>does &lt;not&gt; fit &amp; never will</title>") != std::string::npos);
}

TEST_CASE("names with <, > and & are escaped, and a grid is the same bytes every time") {
  Grid chart = grid(1, 1);
  chart.title = "a & b", chart.columns[0] = "x<1", chart.rows[0] = "y>2", chart.panels[0].title = "p&q";
  const Xml xml = drawn(chart);
  for (const char* wanted : {"a &amp; b", "x&lt;1", "y&gt;2", "p&amp;q"}) CHECK_MESSAGE(says(xml, wanted), wanted);
  CHECK(draw(chart) == draw(chart));
}

TEST_CASE("without panels, columns or rows a grid says why, and has neither cells nor a scale") {
  for (const Grid& chart : {grid(0, 3), grid(3, 0), Grid{.title = "growth", .nothing = "no machine"}}) {
    const Xml xml = drawn(chart);
    CHECK(says(xml, "no machine"));
    CHECK(count(xml, "rect") == 1);  // the page
    CHECK_FALSE(says(xml, "less"));
  }
}
