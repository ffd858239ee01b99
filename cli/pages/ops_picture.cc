#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "cli/pages/ops_report.h"
#include "cli/pages/plan_report.h"
#include "cli/report/figure.h"
#include "cli/svg/palette.h"
#include "operator_models/models.h"
#include "planner/plan/ops.h"

namespace cli {
namespace {

using planner::OperatorRow;

/// Classes in the order of their colours: the same in every picture.
constexpr std::array<std::string_view, svg::kSeriesColours> kClasses{
    "linear-gemm", "fc-gemm", "attention-gemm", "attention", "vector", "embedding", "optimizer", "communication"};

size_t series_of(const OperatorRow& r) {
  return static_cast<size_t>(std::find(kClasses.begin(), kClasses.end(), r.op_class) - kClasses.begin());
}

/// Names of the classes that some operator has; the others are empty.
std::vector<std::string> series(const std::vector<OperatorRow>& rows) {
  std::vector<std::string> names(kClasses.size());
  for (const OperatorRow& r : rows) names[series_of(r)] = r.op_class;
  return names;
}

std::string title(const planner::Scenario& s, const std::string& what) { return scenario_title(s) + ": " + what; }

/// Peaks with their names; equal ones are one roof.
std::vector<svg::Roof> roofs(const planner::Scenario& s) {
  const hw_profiles::Accelerator& gpu = s.cluster.gpu;
  std::vector<svg::Roof> out;
  const auto add = [&](const std::string& name, double peak, bool strong) {
    for (svg::Roof& roof : out)
      if (roof.flops_per_second == peak) {
        roof.label += ", " + name, roof.strong |= strong;
        return;
      }
    out.push_back({name, peak, strong});
  };
  const double used = operator_models::matrix_peak(gpu, s.job.precision).peak.value;
  for (size_t i = 0; i < hw_profiles::kPrecisionNames.size(); ++i)
    if (const auto peak = gpu.flops.at(static_cast<hw_profiles::Precision>(i)))
      add(hw_profiles::kPrecisionNames[i], peak->value, peak->value == used);
  add("vector fp32", gpu.vector_flops.value, true);
  for (svg::Roof& roof : out) roof.label += " " + figure(roof.flops_per_second, Unit::flops_per_second);
  return out;
}

/// Each row's name; if others have the same, with its phase or its layer or both, whichever distinguishes them.
std::vector<std::string> names_of(const std::vector<OperatorRow>& rows) {
  std::map<std::string, std::map<std::string, int>> names, phases, layers;  // of each name: how often
  for (const OperatorRow& r : rows) ++names[r.name][""], ++phases[r.name][r.phase], ++layers[r.name][r.layer];
  const auto tell_apart = [](const std::map<std::string, int>& count) {
    return std::all_of(count.begin(), count.end(), [](const auto& entry) { return entry.second == 1; });
  };
  std::vector<std::string> out;
  for (const OperatorRow& r : rows) {
    if (names[r.name][""] == 1) out.push_back(r.name);
    else if (tell_apart(phases[r.name])) out.push_back(fmt::format("{} ({})", r.name, r.phase));
    else if (tell_apart(layers[r.name])) out.push_back(fmt::format("{} ({})", r.name, r.layer));
    else out.push_back(fmt::format("{} ({}, {})", r.name, r.layer, r.phase));
  }
  return out;
}

std::string tip(const std::string& name, const OperatorRow& r) {
  std::string text = fmt::format("{}: {} of the time, {} x {}", name, figure(r.share, Unit::fraction),
                                 figure(whole(r.count), Unit::count), figure(r.seconds, Unit::seconds));
  if (r.flops > 0)
    text += fmt::format(", {}, {} FLOP/B", figure(r.flops / r.seconds, Unit::flops_per_second),
                        figure(r.intensity, Unit::flops_per_byte));
  return text + ", bound: " + r.bound;
}

}  // namespace

svg::Roofline ops_roofline(const planner::Scenario& s, const std::vector<OperatorRow>& rows) {
  double seconds = 0;
  for (const OperatorRow& r : rows) seconds += r.count * r.seconds;
  svg::Roofline chart{
      .title = title(s, "roofline"),
      .subtitle = fmt::format("The {} operators of a step on one GPU of the pipeline stage that finishes last; the "
                              "area of a mark is its share of their time, {}.",
                              rows.size(), figure(seconds, Unit::seconds)),
      .series = series(rows),
      .roofs = roofs(s),
      .memory_label = "memory " + figure(s.cluster.gpu.memory_bandwidth.value, Unit::bytes_per_second),
      .memory_bytes_per_second = s.cluster.gpu.memory_bandwidth.value,
      .marks = {},
      .nothing = "the layout is not feasible: there are no operators"};
  const std::vector<std::string> names = names_of(rows);
  for (size_t i = 0; i < rows.size(); ++i) {
    const OperatorRow& r = rows[i];
    chart.marks.push_back({.label = fmt::format("{} {}", names[i], figure(r.share, Unit::fraction)),
                           .tip = tip(names[i], r),
                           .flops = r.flops,
                           .bytes = r.bytes_read + r.bytes_written,
                           .seconds = r.seconds,
                           .share = r.share,
                           .series = series_of(r)});
  }
  return chart;
}

svg::StackedBars ops_bars(const planner::Scenario& s, const std::vector<OperatorRow>& rows,
                          const std::vector<std::string>& keys) {
  svg::StackedBars chart{
      .title = title(s, fmt::format("operators by {}", fmt::join(keys, ", "))),
      .subtitle = "Shares of the operators' time on one GPU of the pipeline stage that finishes last.",
      .axis = "share of the operators' time",
      .series = series(rows),
      .nothing = "the layout is not feasible: there are no operators"};
  std::map<std::string, double> total;
  for (const OperatorRow& r : rows) {
    const std::string name = text_list(group_values(r, keys), std::identity(), " / ");
    auto bar = std::find_if(chart.bars.begin(), chart.bars.end(), [&](const svg::Bar& b) { return b.label == name; });
    if (bar == chart.bars.end())
      bar = chart.bars.insert(bar, {.label = name, .parts = std::vector<double>(kClasses.size())});
    bar->parts[series_of(r)] += r.share;
    total[name] += r.share;
  }
  for (svg::Bar& bar : chart.bars) bar.note = figure(total[bar.label], Unit::fraction);
  std::stable_sort(chart.bars.begin(), chart.bars.end(),
                   [&](const svg::Bar& a, const svg::Bar& b) { return total[a.label] > total[b.label]; });
  return chart;
}

}  // namespace cli
