#include "cli/pages/sweep_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "cli/pages/search_report.h"
#include "cli/pages/sweep_report.h"
#include "dsl/unit_sizes.h"

namespace cli {
namespace {

/// How a picture names a column, and in which unit.
struct Axis {
  const char *column, *title;
  double unit = 1;
  bool more = false;  // more is better
};
constexpr std::array kAxes{Axis{"step_seconds", "step, s"},
                           Axis{"peak_bytes", "memory of the fullest GPU, GiB", dsl::kGiB},
                           Axis{"headroom_bytes", "memory left on the fullest GPU, GiB", dsl::kGiB, true},
                           Axis{"mfu", "MFU", 1, true},
                           Axis{"bubble", "bubble of a step, s"},
                           Axis{"exposed_comm", "exposed communication of a step, s"},
                           Axis{"scaling_efficiency", "scaling efficiency", 1, true},
                           Axis{"global_batch", "sequences of a batch", 1, true},
                           Axis{"microbatches", "microbatches of a step", 1, true},
                           Axis{"gpus", "GPUs"},
                           Axis{"days", "run, days"},
                           Axis{"usd", "cost of the run, USD"},
                           Axis{"kwh", "energy of the run, kWh"}};

const Axis& axis_of(std::string_view column) { return *std::ranges::find(kAxes, column, &Axis::column); }

size_t place_of(const Table& rows, std::string_view column) {
  return static_cast<size_t>(std::ranges::find(rows.columns, column, &Column::name) - rows.columns.begin());
}

/// "tp 8, pp 16, sequence_parallel yes"
std::string choices_of(const Data& choices) {
  std::string text;
  for (const Member& choice : choices.object() ? *choices.object() : Data::Object{})
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", last_name(choice.name), figure(choice.value, Unit::text));
  return text;
}

}  // namespace

std::vector<std::string> sweep_axes() {
  std::vector<std::string> names;
  for (const Axis& axis : kAxes) names.emplace_back(axis.column);
  return names;
}

svg::Front sweep_picture(const std::string& title, const Table& rows, const std::vector<std::string>& axes) {
  const Axis &x = axis_of(axes.empty() ? "step_seconds" : axes[0]), &y = axis_of(axes.empty() ? "peak_bytes" : axes[1]);
  svg::Front chart{.title = title + ": combinations of the sweep",
                   .subtitle = "",
                   .x = {x.title, x.more},
                   .y = {y.title, y.more},
                   .points = {},
                   .nothing = "no combination works that has both figures"};
  const size_t feasible = place_of(rows, "feasible"), index = place_of(rows, "index"),
               choices = place_of(rows, "choices");
  const size_t along = place_of(rows, x.column), up = place_of(rows, y.column);
  for (const std::vector<Data>& row : rows.rows) {
    const bool* works = std::get_if<bool>(&row[feasible].v);
    const std::optional<double> at = row[along].number(), over = row[up].number();
    if (!works || !*works || !at || !over) continue;
    chart.points.push_back({.x = *at / x.unit,
                            .y = *over / y.unit,
                            .label = "#" + figure(row[index], Unit::count),
                            .tip = fmt::format("{}: {} {}, {} {}", choices_of(row[choices]), x.column,
                                               four_digits(*at / x.unit), y.column, four_digits(*over / y.unit))});
  }
  chart.subtitle =
      fmt::format("{} of {} combinations work and have both figures", chart.points.size(), rows.rows.size());
  return chart;
}

}  // namespace cli
