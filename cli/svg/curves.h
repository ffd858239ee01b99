// Curves over one quantity, with their data: measured points, bands, extrapolated parts, and crossings of limits.
//
//     Curves chart;
//     chart.title = "an epoch on more and more ranks";
//     chart.x = {.title = "ranks", .log = true}, chart.y = {.title = "time, s"};
//     chart.curves = {{.label = {"epoch", "12 + 260 * ranks^(-1)"},
//                      .runs = {{{2, 142, {{139, 145}}}, {4, 77, {{74, 80}}}, {8, 44.5, {{41, 48}}}}},
//                      .points = {{2, 143}, {4, 76}},
//                      .known = {2, 4},
//                      .shaded = {{5, 8}}}};
//     chart.limits = {{"time limit 60 s", {{2, 60}, {8, 60}}}};
//     std::string text = draw(chart);
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cli::svg {

struct CurvePoint {
  double x = 0, y = 0;
  std::string tip = {};    // the tooltip
  std::string label = {};  // next to the point; may be empty
};

struct CurveSample {
  double x = 0, y = 0;
  std::optional<std::pair<double, double>> band = {};  // from and to
};

struct Curve {
  std::vector<std::string> label = {};              // lines next to its end, long ones broken; the first is its name
  std::vector<std::vector<CurveSample>> runs = {};  // each by rising x; the curve jumps between them
  std::vector<CurvePoint> points = {}, hollow = {};
  std::pair<double, double> known = {};                // x: drawn through inside, with dashes outside
  std::vector<std::pair<double, double>> shaded = {};  // intervals of x
  std::optional<CurvePoint> ringed = {};
};

/// A line that no curve should cross; drawn as far as the axes reach.
struct CurveLimit {
  std::string label;
  std::vector<CurvePoint> line;  // by rising x
};

struct CurveAxis {
  std::string title;  // quantity and unit
  bool log = false;   // where all figures are above 0
};

/// Explanations of the marks; those that the chart does not have are left out.
struct CurveKey {
  std::string points = "measured", hollow = "held out", known = "in the measured range", beyond = "extrapolated",
              band = "95 % band", shaded = "valid", ringed = "best";
};

/// REQUIRES: at most six curves: more cannot be distinguished by colour, nor labelled.
struct Curves {
  std::string title, subtitle;
  CurveAxis x, y;
  std::vector<Curve> curves;
  std::vector<CurveLimit> limits = {};
  CurveKey key = {};
  std::string nothing = {};  // why there are none
};

std::string draw(const Curves& chart);

}  // namespace cli::svg
