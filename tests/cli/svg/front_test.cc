// Fronts: their plans, and the positions of points and labels.
#include "cli/svg/front.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "tests/cli/svg/xml.h"

using namespace cli::svg;

namespace {

Front front(const std::vector<std::pair<double, double>>& points) {
  Front chart{.title = "plans", .subtitle = "", .x = {"days"}, .y = {"USD"}, .points = {}, .nothing = "no plan"};
  for (const auto& [x, y] : points)
    chart.points.push_back({.x = x, .y = y, .label = "p" + std::to_string(chart.points.size()), .tip = {}});
  return chart;
}

/// Small whole figures, so that many are equal.
Front crowd(size_t points, unsigned seed) {
  std::minstd_rand random(seed);
  std::vector<std::pair<double, double>> at;
  for (size_t i = 0; i < points; ++i) {
    const double x = static_cast<double>(random() % 30);
    at.emplace_back(x, static_cast<double>(random() % 30));
  }
  return front(at);
}

/// Whether `a` is at least as good as `b` on both axes and better on one.
bool beats(const Front& chart, const FrontPoint& a, const FrontPoint& b) {
  const double x = (a.x - b.x) * (chart.x.more ? -1 : 1), y = (a.y - b.y) * (chart.y.more ? -1 : 1);
  return x <= 0 && y <= 0 && (x < 0 || y < 0);
}

Xml drawn(const Front& chart) {
  const Xml xml = read_xml(draw(chart));
  REQUIRE(xml.wrong == "");
  CHECK(outside(xml) == "");
  return xml;
}

/// Circles of the points and rings, without those of the key, which are drawn first.
std::vector<Element> circles(const Xml& xml, size_t of_key = 2) {
  std::vector<Element> out;
  for (const Element& e : xml.elements)
    if (e.name == "circle") out.push_back(e);
  REQUIRE(out.size() >= of_key);
  out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(of_key));
  return out;
}

bool filled(const Element& e) { return e.attributes.find("\"f0 ") != std::string::npos; }

}  // namespace

TEST_CASE("no point beats one of the front, every other is beaten or equal to one, whichever way is better") {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    Front chart = crowd(60, seed);
    chart.x.more = seed & 1, chart.y.more = seed & 2;
    const std::vector<size_t> best = undominated(chart);
    REQUIRE_FALSE(best.empty());
    for (size_t i = 0; i < chart.points.size(); ++i) {
      const FrontPoint& p = chart.points[i];
      const bool beaten = std::any_of(chart.points.begin(), chart.points.end(),
                                      [&](const FrontPoint& other) { return beats(chart, other, p); });
      const bool twin = std::any_of(chart.points.begin(), chart.points.begin() + static_cast<std::ptrdiff_t>(i),
                                    [&](const FrontPoint& other) { return other.x == p.x && other.y == p.y; });
      CHECK((std::find(best.begin(), best.end(), i) != best.end()) == (!beaten && !twin));
    }
    for (size_t i = 1; i < best.size(); ++i) {  // from the best x to the worst, and so from the worst y to the best
      CHECK((chart.points[best[i]].x > chart.points[best[i - 1]].x) != chart.x.more);
      CHECK((chart.points[best[i]].y < chart.points[best[i - 1]].y) != chart.y.more);
    }
  }
}

TEST_CASE("points of the front are filled, and others empty; more is to the right and up") {
  const Xml xml = drawn(front({{1, 50}, {2, 40}, {3, 45}, {4, 20}}));
  const auto all = circles(xml);
  REQUIRE(all.size() == 4);
  for (size_t i = 0; i < 4; ++i) CHECK(filled(all[i]) == (i != 2));
  for (size_t i = 1; i < 4; ++i) CHECK(attribute(all[i], "cx") > attribute(all[i - 1], "cx"));
  CHECK(attribute(all[0], "cy") < attribute(all[2], "cy"));
  CHECK(attribute(all[2], "cy") < attribute(all[1], "cy"));
  CHECK(attribute(all[1], "cy") < attribute(all[3], "cy"));
  for (const char* label : {"p0", "p1", "p2", "p3"}) CHECK_MESSAGE(says(xml, label), label);
}

TEST_CASE("the line of a front goes over the corners of what it beats") {
  const Xml xml = drawn(front({{1, 50}, {2, 40}, {4, 20}}));
  const auto line =
      std::find_if(xml.elements.begin(), xml.elements.end(), [](const Element& e) { return e.name == "polyline"; });
  REQUIRE(line != xml.elements.end());
  CHECK(std::count(line->attributes.begin(), line->attributes.end(), ',') == 5);  // three points, two corners
}

TEST_CASE("figures far apart stand on a logarithmic axis: equal ratios, equal distances") {
  const auto far = circles(drawn(front({{1, 3}, {10, 2}, {100, 1}})));
  const auto x = [](const Element& e) { return attribute(e, "cx"); };
  CHECK(x(far[1]) - x(far[0]) == doctest::Approx(x(far[2]) - x(far[1])).epsilon(1e-3));
  const auto zero = circles(drawn(front({{0, 3}, {50, 2}, {100, 1}})));  // no logarithm of zero
  CHECK(x(zero[1]) - x(zero[0]) == doctest::Approx(x(zero[2]) - x(zero[1])).epsilon(1e-3));
}

TEST_CASE("the best plan has a ring around its point and a label, on the front or not") {
  Front chart = front({{1, 1}, {2, 2}, {3, 3}});
  chart.points[2].best = true;
  const Xml xml = drawn(chart);
  const auto all = circles(xml, 3);
  REQUIRE(all.size() == 4);
  CHECK(attribute(all[3], "cx") == attribute(all[2], "cx"));
  CHECK(attribute(all[3], "cy") == attribute(all[2], "cy"));
  CHECK(attribute(all[3], "r") > attribute(all[2], "r"));
  CHECK(says(xml, "p2"));
}

TEST_CASE("one point, equal points and hundreds of them stay on the page, the same bytes every time") {
  for (const Front& chart : {front({{5, 5}}), front({{5, 5}, {5, 5}}), front({{0, 0}}), crowd(300, 5)}) {
    CHECK(circles(drawn(chart)).size() == chart.points.size());
    CHECK(draw(chart) == draw(chart));
  }
  const Xml none = drawn(front({}));
  CHECK(says(none, "no plan"));
  CHECK(count(none, "circle") == 0);
}

TEST_CASE("many points have numbers next to them, and below what each stands for") {
  std::vector<std::pair<double, double>> at;
  for (int i = 0; i < 7; ++i) at.emplace_back(100 + 100 * i, 800 - 100 * i);  // no axis has small numbers
  const Xml few = drawn(front(at));
  CHECK(says(few, "p6"));
  at.emplace_back(800, 100);
  at.emplace_back(900, 900);  // beaten
  Front chart = front(at);
  chart.points[7].label = std::string("a layout whose name is as long as several lines of one column of the key ") +
                          "of this picture, and which ends here";
  chart.points[3].best = true;
  const Xml many = drawn(chart);
  for (const char* number : {"1", "4", "8", "9"}) CHECK_MESSAGE(says(many, number), number);
  for (const char* label : {"p0", "p3", "p6", "p8"}) CHECK_MESSAGE(says(many, label), label);
  CHECK(draw(chart).find("which ends here") != std::string::npos);
}

TEST_CASE("labels, tips and axes of a front are escaped") {
  Front chart = front({{1, 1}});
  chart.points[0].label = "tp<8", chart.points[0].tip = "a & b", chart.x.title = "days > 3";
  const Xml xml = drawn(chart);
  for (const char* wanted : {"tp&lt;8", "days &gt; 3"}) CHECK_MESSAGE(says(xml, wanted), wanted);
  CHECK(draw(chart).find("<title>a &amp; b</title>") != std::string::npos);
}

TEST_CASE("a limit is a dashed line with its name, where it lies near the points") {
  Front chart = front({{10, 50}, {20, 40}});
  chart.x.limit = {25, "deadline 25 d"}, chart.y.limit = {1000, "budget 1 kUSD"};
  const Xml xml = drawn(chart);
  CHECK(says(xml, "deadline 25 d"));
  CHECK_FALSE(says(xml, "budget 1 kUSD"));  // twenty times the largest cost
}

TEST_CASE("points of a series have its colour, and the key names it; an interval is a line through its point") {
  Front chart = front({{10, 50}, {20, 40}, {30, 60}});
  chart.points[0].series = chart.points[2].series = "one", chart.points[1].series = "two";
  const size_t lines = count(drawn(chart), "line");
  chart.points[1].along = {18, 23};
  const Xml xml = drawn(chart);
  CHECK(count(xml, "line") == lines + 2);  // and one of the key
  CHECK(says(xml, "one"));
  CHECK(says(xml, "two"));
  CHECK(says(xml, "10th to 90th percentile"));
  const auto all = circles(xml, 3);
  CHECK(all[0].attributes.find("\"f0 ") != std::string::npos);
  CHECK(all[1].attributes.find("\"f2 ") != std::string::npos);
  CHECK(all[2].attributes.find("s0 ") != std::string::npos);
}

TEST_CASE("an axis begins at zero where values differ much, and says where it begins where they do not") {
  CHECK(draw(front({{10, 50}, {20, 10}})).find("begins at") == std::string::npos);
  CHECK(says(drawn(front({{100, 50}, {120, 10}})), "x begins at 100"));
  CHECK(says(drawn(front({{100, 50}, {120, 40}})), "x begins at 100, y at 40"));
}
