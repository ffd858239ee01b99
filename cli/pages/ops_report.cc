#include "cli/pages/ops_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "cli/pages/plan_basis.h"
#include "cli/pages/plan_report.h"
#include "cli/report/row_fields.h"
#include "cli/svg/palette.h"
#include "operator_models/models.h"
#include "planner/plan/ops.h"

namespace cli {
namespace {

using planner::OperatorRow;

Data shape(const OperatorRow& row) {
  Data::Object members;
  for (const auto& [name, size] : row.shape) members.push_back({name, whole(size)});
  return members;
}

RowFields<OperatorRow> operator_fields() {
  return {{"name", &OperatorRow::name},
          {"phase", &OperatorRow::phase, Unit::text, "", 1},
          {"layer", &OperatorRow::layer, Unit::text, "", 9},
          {"sublayer", &OperatorRow::sublayer, Unit::text, "", 8},
          {"kind", &OperatorRow::kind, Unit::text, "", 10},
          {"class", &OperatorRow::op_class, Unit::text, "", 11},
          {"part", &OperatorRow::part, Unit::text, "", 15},
          {"shape", shape, Unit::text, "", 3},
          {"count", whole_of(&OperatorRow::count), Unit::count},
          {"launches", whole_of(&OperatorRow::launches), Unit::count, "", 19},
          {"flops", &OperatorRow::flops, Unit::flops, "", 7},
          {"bytes_read", &OperatorRow::bytes_read, Unit::bytes, "read", 12},
          {"bytes_written", &OperatorRow::bytes_written, Unit::bytes, "written", 13},
          {"near_bytes", &OperatorRow::near_bytes, Unit::bytes, "near", 16},
          {"intensity", &OperatorRow::intensity, Unit::flops_per_byte, "FLOP/B", 6},
          {"seconds", &OperatorRow::seconds, Unit::seconds, "time"},
          {"share", &OperatorRow::share, Unit::fraction},
          {"bound", &OperatorRow::bound, Unit::text, "", 4},
          {"at_once", &OperatorRow::at_once, Unit::count, "", 17},
          {"gain", &OperatorRow::gain, Unit::number, "", 18},
          {"model", &OperatorRow::model, Unit::text, "", 14},
          {"provenance", &OperatorRow::provenance, Unit::text, "", 2},
          {"relative_error", &OperatorRow::relative_error, Unit::fraction, "error", 5}};
}

/// What fused collectives change, where a step has any.
RowFields<OperatorRow> with_fused(RowFields<OperatorRow> fields) {
  fields.add({"waited_seconds", &OperatorRow::waited, Unit::seconds, "waited", 1});
  fields.add({"dram_read", &OperatorRow::dram_read, Unit::bytes, "DRAM read", 2});
  fields.add({"dram_written", &OperatorRow::dram_written, Unit::bytes, "DRAM written", 2});
  return fields;
}

Report report_of(Table table) { return rows_report("trainplan.ops/1", "ops", std::move(table)); }

/// Adds what all calls of an operator in one step come to.
void add_calls(OperatorRow& sum, const OperatorRow& r) {
  sum.count += r.count;
  sum.flops += r.count * r.flops;
  sum.bytes_read += r.count * r.bytes_read;
  sum.bytes_written += r.count * r.bytes_written;
  sum.near_bytes += r.count * r.near_bytes;
  sum.seconds += r.count * r.seconds;
  sum.share += r.share;
}

/// The columns of sums over the operators that share the values of `keys`.
RowFields<OperatorRow> sum_fields(const std::vector<std::string>& keys) {
  RowFields<OperatorRow> all = operator_fields(), fields;
  all.at("intensity").value = [](const OperatorRow& r) {
    const double bytes = r.bytes_read + r.bytes_written;
    return bytes > 0 ? Data(r.flops / bytes) : Data();
  };
  for (const std::string& key : keys) {
    fields.add(all.at(key));
    fields.at(key).rank = 0;
  }
  for (const char* name :
       {"count", "flops", "bytes_read", "bytes_written", "near_bytes", "intensity", "seconds", "share"})
    fields.add(all.at(name));
  return fields;
}

/// Their values of the keys, and the sums.
using Groups = std::vector<std::pair<std::vector<std::string>, OperatorRow>>;

// In step order, with the groups that share their outer values side by side.
void nest(Groups& groups) {
  std::map<std::vector<std::string>, size_t> began;
  const auto order = [&](const Groups::value_type& group) {
    std::vector<size_t> at;
    for (size_t n = 1; n <= group.first.size(); ++n)
      at.push_back(began.at({group.first.begin(), group.first.begin() + static_cast<ptrdiff_t>(n)}));
    return at;
  };
  for (size_t i = 0; i < groups.size(); ++i)
    for (size_t n = 1; n <= groups[i].first.size(); ++n)
      began.emplace(std::vector(groups[i].first.begin(), groups[i].first.begin() + static_cast<ptrdiff_t>(n)), i);
  std::stable_sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
}

// ---- the pictures

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

std::string ops_title(const planner::Scenario& s, const std::vector<OperatorRow>& rows) {
  double seconds = 0;
  for (const OperatorRow& r : rows) seconds += r.count * r.seconds;
  return title(s, fmt::format("{} operators take {} of a GPU", rows.size(), figure(seconds, Unit::seconds)));
}

Report ops_report(const std::vector<OperatorRow>& rows) {
  const bool fused = std::ranges::any_of(rows, &OperatorRow::fused);
  Report report = report_of((fused ? with_fused(operator_fields()) : operator_fields()).table(rows));
  ProvenanceShares shares;
  for (const OperatorRow& r : rows) shares[r.provenance] += r.share;
  report.text = {report.table, "Time by provenance: " + to_text(shares) + "."};
  return report;
}

std::vector<std::string> group_values(const OperatorRow& row, const std::vector<std::string>& keys) {
  static RowFields<OperatorRow> fields = operator_fields();
  std::vector<std::string> values;
  for (const std::string& key : keys) values.push_back(*fields.at(key).value(row).text());
  return values;
}

Report ops_grouped(const std::vector<OperatorRow>& rows, const std::vector<std::string>& keys) {
  Groups groups;
  std::map<std::vector<std::string>, size_t> index;
  for (const OperatorRow& r : rows) {
    auto [at, fresh] = index.emplace(group_values(r, keys), groups.size());
    if (fresh) {
      OperatorRow none{.phase = r.phase,
                       .layer = r.layer,
                       .sublayer = r.sublayer,
                       .kind = r.kind,
                       .op_class = r.op_class,
                       .part = r.part,
                       .bound = r.bound,
                       .model = r.model,
                       .provenance = r.provenance};
      groups.emplace_back(at->first, std::move(none));
    }
    add_calls(groups[at->second].second, r);
  }
  nest(groups);
  std::vector<OperatorRow> sums;
  std::ranges::transform(groups, std::back_inserter(sums), &Groups::value_type::second);
  return report_of(sum_fields(keys).table(sums));
}

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
