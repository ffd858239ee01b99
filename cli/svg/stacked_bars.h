// Horizontal bars of parts that sum to a total, for the parts of a step.
//
//     StackedBars chart;
//     chart.title = "gpt3-175b on 1024 x a100-sxm-80gb: where the step goes";
//     chart.axis = "share of the step";
//     chart.series = {"compute", "compute that hides communication", "serialized", "exposed", "other"};
//     chart.bars = {{.label = "the step", .parts = {0.55, 0.20, 0.15, 0.06, 0.04}, .note = "12.35 s"},
//                   {.label = "tp", .parts = {0, 0, 0.12, 0, 0}, .heading = "by class"},
//                   {.label = "dp", .parts = {0, 0.20, 0, 0.06, 0}}};
//     std::string text = draw(chart);
#pragma once

#include <string>
#include <vector>

namespace cli::svg {

struct Bar {
  std::string label;          // to the left; long ones are broken into lines
  std::vector<double> parts;  // one per series, >= 0
  std::string note = {};      // behind the bar: "12.35 s"
  std::string heading = {};   // above the bar: where a group of them begins
  double from = 0;            // where it begins on the axis: bars of a waterfall hang in the air
};

struct StackedBars {
  std::string title, subtitle;
  std::string axis;                 // quantity and unit
  bool percent = true;              // parts are fractions, printed as percentages
  std::vector<std::string> series;  // the legend, in order of the parts; a bar alone has its figures there
  std::vector<Bar> bars = {};
  std::string nothing;  // why there are none
};

std::string draw(const StackedBars& chart);

}  // namespace cli::svg
