#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/pages/search_report.h"
#include "cli/pages/sweep_report.h"

namespace cli {
namespace {

/// How a picture names a column, and in which unit.
struct SweepAxis {
  std::string column;
  planner::FigureAxis axis;
  bool more = false;  // more is better
};
const std::vector<SweepAxis>& axes_of_rows() {
  static const std::vector<SweepAxis> axes = [] {
    std::vector<SweepAxis> all;
    for (const planner::ResultRow& row : planner::column_figures())
      if (row.about.axis) all.push_back({row.about.column, axis_of(row.about), row.about.more});
    all.push_back({"global_batch", {"sequences of a batch"}, true});
    all.push_back({"microbatches", {"microbatches of a step"}, true});
    return all;
  }();
  return axes;
}

const SweepAxis& axis_of_column(std::string_view column) {
  return *std::ranges::find(axes_of_rows(), column, &SweepAxis::column);
}

size_t place_of(const Table& rows, std::string_view column) {
  return static_cast<size_t>(std::ranges::find(rows.columns, column, &Column::name) - rows.columns.begin());
}

/// "tp 8, pp 16, sequence_parallel yes"
std::string choices_of(const Data& choices) {
  return text_list(choices.object() ? *choices.object() : Data::Object{}, [](const Member& choice) {
    return last_name(choice.name) + " " + figure(choice.value, Unit::text);
  });
}

}  // namespace

std::vector<std::string> sweep_axes() {
  std::vector<std::string> names;
  for (const SweepAxis& axis : axes_of_rows()) names.emplace_back(axis.column);
  return names;
}

svg::Front sweep_picture(const std::string& title, const Table& rows, const std::vector<std::string>& axes) {
  const SweepAxis &x = axis_of_column(axes.empty() ? "step_seconds" : axes[0]),
                  &y = axis_of_column(axes.empty() ? "peak_bytes" : axes[1]);
  svg::Front chart{.title = title + ": combinations of the sweep",
                   .x = {x.axis.title, x.more},
                   .y = {y.axis.title, y.more},
                   .nothing = "no combination works that has both figures"};
  const size_t feasible = place_of(rows, "feasible"), index = place_of(rows, "index"),
               choices = place_of(rows, "choices");
  const size_t along = place_of(rows, x.column), up = place_of(rows, y.column);
  for (const std::vector<Data>& row : rows.rows) {
    const bool* works = std::get_if<bool>(&row[feasible].v);
    const std::optional<double> at = row[along].number(), over = row[up].number();
    if (!works || !*works || !at || !over) continue;
    chart.points.push_back(
        {.x = *at / x.axis.size,
         .y = *over / y.axis.size,
         .label = "#" + figure(row[index], Unit::count),
         .tip = fmt::format("{}: {} {}, {} {}", choices_of(row[choices]), x.column, four_digits(*at / x.axis.size),
                            y.column, four_digits(*over / y.axis.size))});
  }
  chart.subtitle =
      fmt::format("{} of {} combinations work and have both figures", chart.points.size(), rows.rows.size());
  return chart;
}

}  // namespace cli
