// Heat maps: one or several panels of cells over the same columns and rows, each cell a figure and its colour.
//
//     Grid chart;
//     chart.title = "Communication as models and machines grow";
//     chart.x_title = "hardware", chart.y_title = "model";
//     chart.columns = {"today", "2x FLOP/s", "4x FLOP/s"};
//     chart.rows = {"bert-large", "future-1t"};
//     chart.panels = {{.title = "serialized communication, share of the step",
//                      .cells = {{{0.23, "23 %"}, {0.37, "37 %", "1.2 s"}, {0.54, "54 %"}},
//                                {{0.31, "31 %"}, {0.47, "47 %"}, {}}}}};  // a cell without a figure stays empty
//     std::string text = draw(chart);
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cli::svg {

struct Cell {
  std::optional<double> value;  // gives the colour; absent: not feasible, or undefined
  std::string text = {};        // printed in the cell: "47 %"
  std::string note = {};        // smaller, below it: "1.20 s"
  std::string tip = {};         // the tooltip
};

struct Panel {
  std::string title;
  std::vector<std::vector<Cell>> cells;  // [row][column]
  double low = 0, high = 1;              // values of the lightest and the darkest colour; low < high
};

/// REQUIRES: each panel has as many rows as `rows`, each of them as many cells as `columns`.
struct Grid {
  std::string title, subtitle;
  std::string x_title, y_title;
  std::vector<std::string> columns, rows;
  std::vector<Panel> panels;
  std::string nothing;  // why there are none
};

std::string draw(const Grid& chart);

}  // namespace cli::svg
