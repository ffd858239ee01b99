#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/pages/study_pages.h"
#include "cli/report/row_fields.h"
#include "planner/studies/seqpoints/project.h"

namespace cli {
namespace {

namespace seqpoint = planner::seqpoint;
using seqpoint::Machine;
using seqpoint::Projected;
using seqpoint::Projection;
using seqpoint::Sample;

/// The figures of a projection that are shown more than once.
struct Totals {
  explicit Totals(const Projection& s)
      : times(s.epoch.times()),
        actual(seqpoint::total_seconds(s.epoch, times)),
        projected(seqpoint::projected_seconds(s.epoch, s.selection.sample, times)) {
    double longest = 0;
    for (const seqpoint::Point& p : s.selection.sample.points) {
      once += times[p.at];
      longest = std::max(longest, times[p.at]);
    }
    saved_serial = actual / once;
    saved_parallel = actual / longest;
  }
  std::vector<double> times;
  double actual, projected;
  double once = 0;  // each SeqPoint run once, one after the other
  double saved_serial = 0, saved_parallel = 0;
};

Data error_of(const Projection& s, const Sample& sample, const Totals& t) {
  return seqpoint::projection_error(s.epoch, sample, t.times);
}

Data geomean(const Projection& s, size_t sample) {
  return s.machines.empty() ? Data() : Data(seqpoint::geomean_error(s.machines, sample));
}

double speedup_error(const Machine& m, size_t sample) { return m.projected[sample].speedup - m.speedup; }

Table points(const Projection& s, const Totals& t) {
  Table table{.title = "SeqPoints",
              .columns = {{.name = "length", .unit = Unit::count},
                          {.name = "weight", .unit = Unit::count},
                          {.name = "seconds", .unit = Unit::seconds, .heading = "time"},
                          {.name = "shortest", .unit = Unit::count, .rank = 2, .heading = "bin from"},
                          {.name = "longest", .unit = Unit::count, .rank = 2, .heading = "to"},
                          {.name = "share", .unit = Unit::fraction, .rank = 1, .heading = "of the projection"}}};
  const Sample& sample = s.selection.sample;
  for (size_t i = 0; i < sample.points.size(); ++i) {
    const seqpoint::Point& p = sample.points[i];
    const seqpoint::Group& bin = s.selection.bins[i];
    table.rows.push_back({s.epoch.lengths[p.at].length, p.weight, t.times[p.at], s.epoch.lengths[bin.front()].length,
                          s.epoch.lengths[bin.back()].length,
                          static_cast<double>(p.weight) * t.times[p.at] / t.projected});
  }
  return table;
}

Data lengths_of(const Projection& s, const Sample& sample) {
  return list_of(sample.points, [&](const seqpoint::Point& p) { return s.epoch.lengths[p.at].length; });
}

Data alternatives_data(const Projection& s, const Totals& t) {
  Data::List list;
  for (size_t i = 1; i < s.samples.size(); ++i) {
    const Sample& sample = s.samples[i];
    list.push_back(Data::Object{{"name", sample.name},
                                {"points", sample.runs},
                                {"error", error_of(s, sample, t)},
                                {"projected_seconds", seqpoint::projected_seconds(s.epoch, sample, t.times)},
                                {"geomean_error", geomean(s, i)},
                                {"lengths", lengths_of(s, sample)}});
  }
  return list;
}

Data::Object projected_data(const Machine& m, size_t sample) {
  const Projected& p = m.projected[sample];
  return {{"projected_seconds", p.seconds},
          {"error", p.error},
          {"speedup_projected", p.speedup},
          {"speedup_error", speedup_error(m, sample)}};
}

Data machines_data(const Projection& s) {
  Data::List list;
  for (const Machine& m : s.machines) {
    Data::Object machine{{"name", m.name}, {"actual_seconds", m.seconds}, {"speedup_actual", m.speedup}};
    machine = joined(std::move(machine), projected_data(m, 0));
    Data::List others;
    for (size_t i = 1; i < s.samples.size(); ++i)
      others.push_back(joined({{"name", s.samples[i].name}}, projected_data(m, i)));
    list.push_back(joined(std::move(machine), {{"alternatives", std::move(others)}}));
  }
  return list;
}

/// What the samples project of the truth's times; null: nothing judges the choice.
Data truth_data(const Projection& s) {
  if (!s.truth) return {};
  const Machine& m = *s.truth;
  Data::List others;
  for (size_t i = 1; i < s.samples.size(); ++i)
    others.push_back(Data::Object{
        {"name", s.samples[i].name}, {"projected_seconds", m.projected[i].seconds}, {"error", m.projected[i].error}});
  return Data::Object{{"actual_seconds", m.seconds},
                      {"projected_seconds", m.projected[0].seconds},
                      {"error", m.projected[0].error},
                      {"alternatives", std::move(others)}};
}

/// A statistic of which nothing was counted has no relative error.
std::optional<double> error_of(const seqpoint::StatisticProjection& statistic, size_t sample) {
  if (statistic.actual == 0) return std::nullopt;
  return (statistic.projected[sample] - statistic.actual) / statistic.actual;
}

Data statistics_data(const Projection& s) {
  Data::List list;
  for (const seqpoint::StatisticProjection& statistic : s.statistics) {
    Data::List others;
    for (size_t i = 1; i < s.samples.size(); ++i)
      others.push_back(Data::Object{
          {"name", s.samples[i].name}, {"projected", statistic.projected[i]}, {"error", Data(error_of(statistic, i))}});
    list.push_back(Data::Object{{"name", statistic.name},
                                {"actual", statistic.actual},
                                {"projected", statistic.projected[0]},
                                {"error", Data(error_of(statistic, 0))},
                                {"mean", statistic.projected[0] / static_cast<double>(s.epoch.iterations())},
                                {"alternatives", std::move(others)}});
  }
  return list;
}

Data::Object seqpoint_document(const Projection& s, const Totals& t) {
  return {{"iterations", s.epoch.iterations()},
          {"unique_lengths", static_cast<int64_t>(s.epoch.lengths.size())},
          {"bins", s.selection.bin_count},
          {"points", Data::List{}},
          {"actual_seconds", t.actual},
          {"projected_seconds", t.projected},
          {"error", error_of(s, s.selection.sample, t)},
          {"saved_serial", t.saved_serial},
          {"saved_parallel", t.saved_parallel},
          {"alternatives", alternatives_data(s, t)},
          {"threshold_met", s.selection.met},
          {"left_over_sequences", s.left_over},
          {"geomean_error", geomean(s, 0)},
          {"projections", machines_data(s)},
          {"chosen_by", s.by.empty() ? "seconds" : s.by},
          {"truth", truth_data(s)},
          {"statistics", statistics_data(s)}};
}

// ---- the page

/// Two decimals of a hundredth, and never "-0.00".
std::string points_of(double x) { return fmt::format("{:+.2f}", std::round(1e4 * x) / 1e2 + 0.0); }
std::string percent(double x) { return points_of(x) + " %"; }
std::string times(double x) { return four_digits(x) + "x"; }
std::string counted(int64_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

std::string seqpoint_headline(const Projection& s) {
  const auto lengths = static_cast<int64_t>(s.epoch.lengths.size());
  const auto points = static_cast<int64_t>(s.selection.sample.points.size());
  return fmt::format("{}{}{} of {}, {} in {}{}", s.title, s.title.empty() ? "" : ": ",
                     counted(s.epoch.iterations(), "iteration"), counted(lengths, "length"),
                     counted(points, "SeqPoint"), counted(s.selection.bin_count, "bin"),
                     s.by.empty() ? "" : ", chosen by " + s.by);
}

Table facts(const Projection& s, const Totals& t) {
  Table table{.columns = {{.name = "figure"}, {.name = "value"}}, .header = false};
  const auto seconds = [](double x) { return figure(x, Unit::seconds); };
  table.rows.push_back({"epoch", fmt::format("{}, projected {} ({})", seconds(t.actual), seconds(t.projected),
                                             percent((t.projected - t.actual) / t.actual))});
  table.rows.push_back({"to run", fmt::format("{}, {} less than the epoch; {} less side by side", seconds(t.once),
                                              times(t.saved_serial), times(t.saved_parallel))});
  if (s.truth)
    table.rows.push_back(
        {"truth", fmt::format("{}, projected {} ({}), by times that the choice did not see", seconds(s.truth->seconds),
                              seconds(s.truth->projected[0].seconds), percent(s.truth->projected[0].error))});
  if (s.left_over > 0)
    table.rows.push_back({"left over", counted(s.left_over, "sequence") + " behind the last full batch"});
  return table;
}

Table held_against(const Projection& s, const Totals& t) {
  Table table{.title = "Held against",
              .columns = {{.name = "sample"},
                          {.name = "iterations", .unit = Unit::count},
                          {.name = "projected", .unit = Unit::seconds},
                          {.name = "error"}}};
  if (s.truth) table.columns.push_back({.name = "truth", .heading = "by the truth"});
  if (!s.machines.empty()) table.columns.push_back({.name = "elsewhere", .heading = "elsewhere (geomean)"});
  for (size_t i = 0; i < s.samples.size(); ++i) {
    const Sample& sample = s.samples[i];
    table.rows.push_back({sample.name, sample.runs, seqpoint::projected_seconds(s.epoch, sample, t.times),
                          percent(seqpoint::projection_error(s.epoch, sample, t.times))});
    if (s.truth) table.rows.back().push_back(percent(s.truth->projected[i].error));
    if (!s.machines.empty())
      table.rows.back().push_back(fmt::format("{:.2f} %", 100 * seqpoint::geomean_error(s.machines, i)));
  }
  return table;
}

Table machines(const Projection& s) {
  const RowFields<Machine> fields{
      {"machine", &Machine::name},
      {"epoch", &Machine::seconds, Unit::seconds},
      {"projected", [](auto& m) { return m.projected[0].seconds; }, Unit::seconds},
      {"error", [](auto& m) { return percent(m.projected[0].error); }},
      {"speed-up", [](auto& m) { return times(m.speedup); }},
      {"projected speed-up", [](auto& m) { return times(m.projected[0].speedup); }, Unit::text, "projected"},
  };
  return fields.table(s.machines, "On other machines");
}

/// A row for each machine, a column for each sample.
template <class Cell> Table by_sample(const Projection& s, const char* title, Cell cell) {
  Table table{.title = title, .columns = {{.name = "machine"}}};
  for (const Sample& sample : s.samples) table.columns.push_back({.name = sample.name});
  for (const Machine& m : s.machines) {
    table.rows.push_back({m.name});
    for (size_t i = 0; i < s.samples.size(); ++i) table.rows.back().push_back(cell(m, i));
  }
  return table;
}

/// A row for each statistic: what the log has, what the SeqPoints project, and the error of each sample.
Table statistics(const Projection& s) {
  Table table{
      .title = "Statistics of the log",
      .columns = {
          {.name = "statistic"}, {.name = "log", .unit = Unit::number}, {.name = "projected", .unit = Unit::number}}};
  for (const Sample& sample : s.samples) table.columns.push_back({.name = sample.name});
  for (const seqpoint::StatisticProjection& statistic : s.statistics) {
    table.rows.push_back({statistic.name, statistic.actual, statistic.projected[0]});
    for (size_t i = 0; i < s.samples.size(); ++i) {
      const auto error = error_of(statistic, i);
      table.rows.back().push_back(error ? Data(percent(*error)) : Data());
    }
  }
  return table;
}

}  // namespace

Report seqpoint_report(const Projection& s) {
  const Totals totals(s);
  Report report{.format = "trainplan.seqpoint/1",
                .document = seqpoint_document(s, totals),
                .key = "points",
                .table = points(s, totals),
                .text = {seqpoint_headline(s), facts(s, totals), points(s, totals), held_against(s, totals)}};
  if (!s.statistics.empty()) report.text.emplace_back(statistics(s));
  if (s.machines.empty()) return report;
  report.text.emplace_back(machines(s));
  report.text.emplace_back(by_sample(s, "Error of the epoch there",
                                     [](const Machine& m, size_t i) { return percent(m.projected[i].error); }));
  report.text.emplace_back(by_sample(s, "Error of the speed-up, in points",
                                     [](const Machine& m, size_t i) { return points_of(speedup_error(m, i)); }));
  return report;
}

}  // namespace cli
