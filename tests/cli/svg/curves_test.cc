// Curves: the drawn parts, and the positions of lines and labels.
#include "cli/svg/curves.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>

#include "cli/svg/frame.h"
#include "cli/svg/picture.h"
#include "tests/cli/harness.h"
#include "tests/cli/svg/xml.h"

using namespace cli::svg;

namespace {

/// slope * x + 10 from 1 to 64 with a band, measured up to 16.
Curve line(const std::string& name, double slope) {
  Curve c{.label = {name, name + "'s formula"}, .known = {1, 16}};
  c.runs.emplace_back();
  for (double x = 1; x <= 64; x *= 2) {
    const double y = slope * x + 10;
    c.runs[0].push_back({x, y, {{y - 2, y + 2}}});
    if (x <= 16) c.points.push_back({x, y + 0.5, name + " at a point"});
  }
  return c;
}

Curves chart(size_t curves) {
  Curves out{.title = "epochs", .subtitle = "", .x = {"ranks", true}, .y = {"time, s"}, .curves = {}};
  for (size_t i = 0; i < curves; ++i) out.curves.push_back(line("c" + std::to_string(i), static_cast<double>(i) / 100));
  out.nothing = "nothing to draw";
  return out;
}

Xml drawn(const Curves& chart) {
  const std::string text = draw(chart);
  const Xml xml = read_xml(text);
  REQUIRE(xml.wrong == "");
  CHECK(outside(xml) == "");
  CHECK_FALSE(has_nan(text));
  return xml;
}

bool has_class(const Element& e, const std::string& name) {
  const size_t at = e.attributes.find("class=\"");
  if (at == std::string::npos) return false;
  const std::string classes = " " + e.attributes.substr(at + 7, e.attributes.find('"', at + 7) - at - 7) + " ";
  return classes.find(" " + name + " ") != std::string::npos;
}

std::vector<Element> all(const Xml& xml, const std::string& name, const std::vector<std::string>& classes) {
  std::vector<Element> out;
  for (const Element& e : xml.elements)
    if (e.name == name && std::ranges::all_of(classes, [&](const auto& c) { return has_class(e, c); }))
      out.push_back(e);
  return out;
}

std::vector<PixelPlace> places(const Element& e) {
  const size_t at = e.attributes.find("points=\"") + 8;
  std::istringstream in(e.attributes.substr(at, e.attributes.find('"', at) - at));
  std::vector<PixelPlace> out;
  char comma = 0;
  for (PixelPlace p; in >> p.x >> comma >> p.y;) out.push_back(p);
  return out;
}

PixelBox box_of(const Element& e) {
  const double wide = attribute(e, "textLength"), x = attribute(e, "x");
  const bool middle = e.attributes.find("\"middle\"") != std::string::npos;
  const bool end = e.attributes.find("\"end\"") != std::string::npos;
  return {middle ? x - wide / 2 : end ? x - wide : x, attribute(e, "y") - 9, wide, 10};
}

/// Two texts that cover each other; "" if none do (turned ones are not looked at).
std::string covered(const Xml& xml) {
  std::vector<Element> texts;
  for (const Element& e : xml.elements)
    if (e.name == "text" && e.attributes.find("transform") == std::string::npos) texts.push_back(e);
  for (size_t i = 0; i < texts.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      if (box_of(texts[i]).overlaps(box_of(texts[k]))) return texts[k].text + " | " + texts[i].text;
  return "";
}

}  // namespace

TEST_CASE("a curve is drawn through where it is known, dashed beyond, with its band and its points") {
  const Xml xml = drawn(chart(1));
  const auto lines = all(xml, "polyline", {"s0", "none"});
  REQUIRE(lines.size() == 2);
  CHECK_FALSE(has_class(lines[0], "dashed"));
  CHECK(has_class(lines[1], "dashed"));
  CHECK(places(lines[0]).size() == 5);  // 1 to 16
  CHECK(places(lines[1]).size() == 3);  // 16 to 64
  CHECK(places(lines[0]).back().x == places(lines[1]).front().x);
  const auto bands = all(xml, "polyline", {"f0", "faint"});
  REQUIRE(bands.size() == 1);
  CHECK(places(bands[0]).size() == 14);                       // there and back
  CHECK(all(xml, "circle", {"f0", "edge"}).size() == 5 + 1);  // and the key's
  const auto boundary = all(xml, "line", {"soft", "dashed"});
  REQUIRE(boundary.size() == 1);
  CHECK(attribute(boundary[0], "x1") == doctest::Approx(places(lines[0]).back().x));
  for (const char* wanted : {"c0", "c0's formula", "ranks", "time, s", "measured", "extrapolated", "95 % band"})
    CHECK_MESSAGE(says(xml, wanted), wanted);
  for (const char* absent : {"held out", "valid", "best"}) CHECK_FALSE(says(xml, absent));
}

TEST_CASE("a logarithmic axis has equal distances for equal ratios, a linear one for equal differences") {
  Curves c = chart(1);
  const auto x = [](const Xml& xml, size_t i) {
    return attribute(all(xml, "circle", {"f0", "edge"}).at(i + 1), "cx");  // the first is the key's
  };
  const Xml log = drawn(c);
  CHECK(x(log, 1) - x(log, 0) == doctest::Approx(x(log, 4) - x(log, 3)).epsilon(1e-3));
  c.x.log = false;
  const Xml linear = drawn(c);
  CHECK(8 * (x(linear, 1) - x(linear, 0)) == doctest::Approx(x(linear, 4) - x(linear, 3)).epsilon(1e-2));
}

TEST_CASE("labels of up to six curves do not cover each other, wherever the curves end") {
  for (size_t curves = 1; curves <= 6; ++curves)
    for (const double factor : {0.0, 1.0, 1000.0}) {
      CAPTURE(curves);
      CAPTURE(factor);
      Curves c = chart(0);
      for (size_t i = 0; i < curves; ++i)
        c.curves.push_back(line("c" + std::to_string(i), factor * static_cast<double>(i)));
      const Xml xml = drawn(c);
      CHECK(covered(xml) == "");
      for (size_t i = 0; i < curves; ++i) CHECK(says(xml, "c" + std::to_string(i)));
    }
}

TEST_CASE("long labels are broken and cut off, and stay in their place") {
  Curves c = chart(6);
  std::string formula = "12.5";
  for (int i = 0; i < 40; ++i) formula += " + 1.234e-05 * ranks^(5/4) * log2(ranks)";
  for (Curve& curve : c.curves) {
    curve.label[0] = std::string(300, 'm');
    curve.label[1] = formula;
  }
  const Xml xml = drawn(c);
  CHECK(covered(xml) == "");
  CHECK(std::ranges::any_of(texts(xml), [](const std::string& t) { return t.ends_with("..."); }));
}

TEST_CASE("points that were held back are hollow, and the best one has a ring and a label") {
  Curves c = chart(1);
  c.curves[0].hollow = {{32, 11, "held"}, {64, 12}};
  c.curves[0].ringed = {8, 10.08, "all of it", "ranks = 8"};
  const Xml xml = drawn(c);
  CHECK(all(xml, "circle", {"s0", "none"}).size() == 2 + 1);
  CHECK(all(xml, "circle", {"ink", "none"}).size() == 1 + 1);
  for (const char* wanted : {"ranks = 8", "held out", "best"}) CHECK_MESSAGE(says(xml, wanted), wanted);
  CHECK(covered(xml) == "");
}

TEST_CASE("what is valid is an area of the only curve, and a lane for each of several") {
  Curves c = chart(1);
  c.curves[0].shaded = {{4, 8}, {200, 300}};  // the second where nothing is drawn
  const Xml one = drawn(c);
  const auto area = all(one, "rect", {"f2", "faint"});
  REQUIRE(area.size() == 1 + 1);  // and the key's
  CHECK(attribute(area[0], "height") == doctest::Approx(12));
  const auto points = all(one, "circle", {"f0", "edge"});
  CHECK(attribute(area[1], "x") == doctest::Approx(attribute(points[3], "cx")));  // x = 4
  CHECK(attribute(area[1], "x") + attribute(area[1], "width") == doctest::Approx(attribute(points[4], "cx")));

  c = chart(3);
  c.curves[0].shaded = {{1, 8}};
  c.curves[2].shaded = {{4, 4}, {16, 1000}};
  const Xml several = drawn(c);
  CHECK(all(several, "rect", {"f0", "mark"}).size() == 1);
  const auto lane = all(several, "rect", {"f2", "mark"});
  REQUIRE(lane.size() == 2);
  CHECK(attribute(lane[0], "width") >= 3);  // a single value can be seen
  CHECK(attribute(lane[0], "y") > attribute(all(several, "rect", {"f0", "mark"})[0], "y"));
  for (const Element& e : all(several, "polyline", {"none"}))
    for (const PixelPlace& p : places(e)) CHECK(p.y <= attribute(all(several, "rect", {"f0", "mark"})[0], "y"));
}

TEST_CASE("limits are lines with a label; one far away leaves the axis alone") {
  Curves c = chart(1);
  const auto height = [](const Xml& xml) { return attribute(all(xml, "circle", {"f0", "edge"}).at(1), "cy"); };
  const double before = height(drawn(c));
  c.limits = {{"limit 10.2 s", {{1, 10.2}, {64, 10.2}}}, {"budget", {{1, 1e6}, {64, 1e4}}}};
  const Xml xml = drawn(c);
  CHECK(all(xml, "polyline", {"ink"}).size() == 1);
  CHECK(says(xml, "limit 10.2 s"));
  CHECK_FALSE(says(xml, "budget"));
  CHECK(height(xml) == doctest::Approx(before));
  CHECK(covered(xml) == "");
}

TEST_CASE("a curve that falls below zero leaves a logarithmic picture at its bottom") {
  Curves c = chart(1);
  c.y.log = true;
  c.curves[0].runs[0].back() = {64, -5, {{-50, 40}}};
  c.curves[0].points.push_back({32, -1});  // has no place there
  const Xml xml = drawn(c);
  const auto lines = all(xml, "polyline", {"s0", "none"});
  REQUIRE(lines.size() == 2);
  CHECK(all(xml, "circle", {"f0", "edge"}).size() == 5 + 1);
  const auto frame = all(xml, "line", {"soft", "thin"});
  for (const Element& e : xml.elements)
    if (e.name == "polyline")
      for (const PixelPlace& p : places(e)) CHECK(p.y <= attribute(frame.at(0), "y1") + 0.01);
}

TEST_CASE("figures that are none are left out") {
  Curves c = chart(2);
  c.curves[0].runs[0][2].y = NAN;
  c.curves[0].runs[0][3].band = {{-INFINITY, INFINITY}};
  c.curves[1].runs[0].back().y = INFINITY;
  c.curves[1].points.push_back({4, NAN});
  const Xml xml = drawn(c);
  CHECK(all(xml, "polyline", {"s0", "none"}).size() == 3);  // the known part in two
}

TEST_CASE("a chart without curves says why; a flat one and a single sample are drawn") {
  const Xml none = drawn(chart(0));
  CHECK(says(none, "nothing to draw"));
  CHECK(count(none, "polyline") == 0);
  Curves flat = chart(1);
  for (CurveSample& s : flat.curves[0].runs[0]) s = {s.x, 0};
  flat.curves[0].points.clear();
  CHECK(all(drawn(flat), "polyline", {"s0"}).size() == 2);
  Curves single = chart(1);
  single.curves[0].runs[0].resize(1);
  single.curves[0].points.resize(1);
  CHECK(all(drawn(single), "polyline", {"s0"}).empty());
  CHECK(all(drawn(single), "circle", {"f0"}).size() == 1 + 1 + 1);  // key, point, the sample as a dot
}

TEST_CASE("blocks that are stacked lie apart and between the ends, near where they are wanted") {
  std::minstd_rand random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> wanted, heights;
    for (int i = 0; i < 6; ++i) {
      wanted.push_back(static_cast<double>(random() % 400));
      heights.push_back(20 + static_cast<double>(random() % 40));
    }
    const auto tops = stacked(wanted, heights, 0, 400);
    for (size_t i = 0; i < tops.size(); ++i) {
      CHECK(tops[i] >= 0);
      CHECK(tops[i] + heights[i] <= 400);
      for (size_t k = 0; k < tops.size(); ++k)
        if (k != i) CHECK((tops[i] + heights[i] <= tops[k] || tops[k] + heights[k] <= tops[i]));
    }
  }
  CHECK(stacked({100}, {20}, 0, 400) == std::vector<double>{90});
  CHECK(stacked({300, 100}, {20, 20}, 0, 400) == std::vector<double>{290, 90});
}

TEST_CASE("a line is cut where it leaves the plot") {
  const auto parts = clipped({{0, -50}, {10, 50}, {20, 150}, {30, 150}, {40, 50}}, 0, 100);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].front().x == doctest::Approx(5));
  CHECK(parts[0].back().x == doctest::Approx(15));
  CHECK(parts[1].front().x == doctest::Approx(35));
  CHECK(parts[1].back().y == 50);
  CHECK(clipped({{0, -10}, {10, -20}}, 0, 100).empty());
}

TEST_CASE("labels, tips and titles of curves are escaped, and the same chart is the same bytes") {
  Curves c = chart(1);
  c.curves[0].label[0] = "main->fft";
  c.curves[0].points[0].tip = "a & b";
  c.x.title = "ranks < 9";
  const Xml xml = drawn(c);
  for (const char* wanted : {"main-&gt;fft", "ranks &lt; 9"}) CHECK_MESSAGE(says(xml, wanted), wanted);
  CHECK(draw(c).find("<title>a &amp; b</title>") != std::string::npos);
  CHECK(draw(c) == draw(c));
}
