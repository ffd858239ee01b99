#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/pages/study_pages.h"
#include "cli/report/facts.h"
#include "cli/report/row_fields.h"
#include "planner/studies/seqpoints/project.h"

namespace cli {
namespace {

using namespace planner::seqpoint;

/// The figures of a projection that are shown more than once.
struct Totals {
  explicit Totals(const Projection& s)
      : times(s.epoch.times()),
        actual(total_seconds(s.epoch, times)),
        projected(projected_seconds(s.epoch, s.selection.sample, times)) {
    double longest = 0;
    for (const Point& p : s.selection.sample.points) {
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

double error_of(const Projection& s, const Sample& sample, const Totals& t) {
  return projection_error(s.epoch, sample, t.times);
}

double projected_by(const Projection& s, size_t sample, const Totals& t) {
  return projected_seconds(s.epoch, s.samples[sample], t.times);
}

/// A statistic of which nothing was counted has no relative error.
std::optional<double> error_of(const StatisticProjection& statistic, size_t sample) {
  if (statistic.actual == 0) return std::nullopt;
  return (statistic.projected[sample] - statistic.actual) / statistic.actual;
}

Data geomean(const Projection& s, size_t sample) {
  return s.machines.empty() ? Data() : Data(geomean_error(s.machines, sample));
}

double speedup_error(const Machine& m, size_t sample) { return m.projected[sample].speedup - m.speedup; }

Table points(const Projection& s, const Totals& t) {
  const std::vector<Point>& chosen = s.selection.sample.points;
  const auto length = [&](size_t at) { return s.epoch.lengths[at].length; };
  const auto share = [&](size_t i) {
    return static_cast<double>(chosen[i].weight) * t.times[chosen[i].at] / t.projected;
  };
  const RowFields<size_t> fields{
      {"length", [&](size_t i) { return length(chosen[i].at); }, Unit::count},
      {"weight", [&](size_t i) { return chosen[i].weight; }, Unit::count},
      {"seconds", [&](size_t i) { return t.times[chosen[i].at]; }, Unit::seconds, "time"},
      {"shortest", [&](size_t i) { return length(s.selection.bins[i].front()); }, Unit::count, "bin from", 2},
      {"longest", [&](size_t i) { return length(s.selection.bins[i].back()); }, Unit::count, "to", 2},
      {"share", share, Unit::fraction, "of the projection", 1},
  };
  return fields.table(places(chosen.size()), "SeqPoints");
}

std::string title_of(const Projection& s, const std::string& what) {
  return fmt::format("{}{}", s.title.empty() ? "" : s.title + ": ", what);
}

// ---- JSON

/// `fields` of each sample that the SeqPoints are held against, with its name.
Data alternatives(const Projection& s, const RowFields<size_t>& fields) {
  Data::List list;
  for (size_t i = 1; i < s.samples.size(); ++i) list.push_back(joined({{"name", s.samples[i].name}}, fields.object(i)));
  return list;
}

/// `fields` of the SeqPoints between other members, and those of the alternatives.
Data projection(const Projection& s, Data::Object front, const RowFields<size_t>& fields, Data::Object back = {}) {
  back.push_back({"alternatives", alternatives(s, fields)});
  return joined(joined(std::move(front), fields.object(0)), std::move(back));
}

Data alternatives_data(const Projection& s, const Totals& t) {
  const auto lengths = [&](size_t i) {
    return list_of(s.samples[i].points, [&](const Point& p) { return s.epoch.lengths[p.at].length; });
  };
  return alternatives(s, {{"points", [&](size_t i) { return s.samples[i].runs; }},
                          {"error", [&](size_t i) { return error_of(s, s.samples[i], t); }},
                          {"projected_seconds", [&](size_t i) { return projected_by(s, i, t); }},
                          {"geomean_error", [&](size_t i) { return geomean(s, i); }},
                          {"lengths", lengths}});
}

/// What each sample projects for a machine.
RowFields<size_t> projected_fields(const Machine& m) {
  return {{"projected_seconds", [&](size_t i) { return m.projected[i].seconds; }},
          {"error", [&](size_t i) { return m.projected[i].error; }}};
}

Data machine_data(const Projection& s, const Machine& m) {
  RowFields<size_t> fields = projected_fields(m);
  fields.add({"speedup_projected", [&](size_t i) { return m.projected[i].speedup; }});
  fields.add({"speedup_error", [&](size_t i) { return speedup_error(m, i); }});
  return projection(s, {{"name", m.name}, {"actual_seconds", m.seconds}, {"speedup_actual", m.speedup}}, fields);
}

Data statistic_data(const Projection& s, const StatisticProjection& statistic) {
  const RowFields<size_t> fields{{"projected", [&](size_t i) { return statistic.projected[i]; }},
                                 {"error", [&](size_t i) { return error_of(statistic, i); }}};
  const double mean = statistic.projected[0] / static_cast<double>(s.epoch.iterations());
  return projection(s, {{"name", statistic.name}, {"actual", statistic.actual}}, fields, {{"mean", mean}});
}

Data::Object seqpoint_document(const Projection& s, const Totals& t) {
  return {
      {"iterations", s.epoch.iterations()},
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
      {"projections", list_of(s.machines, [&](const Machine& m) { return machine_data(s, m); })},
      {"chosen_by", s.by.empty() ? "seconds" : s.by},
      // What the samples project of the truth's times; null: nothing judges the choice.
      {"truth", s.truth ? projection(s, {{"actual_seconds", s.truth->seconds}}, projected_fields(*s.truth)) : Data()},
      {"statistics", list_of(s.statistics, [&](const auto& each) { return statistic_data(s, each); })}};
}

// ---- the page

/// Two decimals of a hundredth, and never "-0.00".
std::string points_of(double x) { return fmt::format("{:+.2f}", std::round(1e4 * x) / 1e2 + 0.0); }
std::string percent(double x) { return points_of(x) + " %"; }

std::string seqpoint_headline(const Projection& s) {
  return title_of(
      s, fmt::format("{} of {}, {} in {}{}", counted(s.epoch.iterations(), "iteration"),
                     counted(s.epoch.lengths.size(), "length"), counted(s.selection.sample.points.size(), "SeqPoint"),
                     counted(s.selection.bin_count, "bin"), s.by.empty() ? "" : ", chosen by " + s.by));
}

Table facts(const Projection& s, const Totals& t) {
  Table facts = fact_table();
  const auto seconds = [](double x) { return figure(x, Unit::seconds); };
  add_fact(facts, "epoch",
           fmt::format("{}, projected {} ({})", seconds(t.actual), seconds(t.projected),
                       percent((t.projected - t.actual) / t.actual)));
  add_fact(facts, "to run",
           fmt::format("{}, {} less than the epoch; {} less side by side", seconds(t.once), times(t.saved_serial),
                       times(t.saved_parallel)));
  if (s.truth)
    add_fact(facts, "truth",
             fmt::format("{}, projected {} ({}), by times that the choice did not see", seconds(s.truth->seconds),
                         seconds(s.truth->projected[0].seconds), percent(s.truth->projected[0].error)));
  if (s.left_over > 0)
    add_fact(facts, "left over", fmt::format("{} behind the last full batch", counted(s.left_over, "sequence")));
  return facts;
}

Table held_against(const Projection& s, const Totals& t) {
  RowFields<size_t> fields{
      {"sample", [&](size_t i) { return s.samples[i].name; }},
      {"iterations", [&](size_t i) { return s.samples[i].runs; }, Unit::count},
      {"projected", [&](size_t i) { return projected_by(s, i, t); }, Unit::seconds},
      {"error", [&](size_t i) { return percent(error_of(s, s.samples[i], t)); }},
  };
  const auto elsewhere = [&](size_t i) { return fmt::format("{:.2f} %", 100 * geomean_error(s.machines, i)); };
  if (s.truth)
    fields.add({"truth", [&](size_t i) { return percent(s.truth->projected[i].error); }, Unit::text, "by the truth"});
  if (!s.machines.empty()) fields.add({"elsewhere", elsewhere, Unit::text, "elsewhere (geomean)"});
  return fields.table(places(s.samples.size()), "Held against");
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

/// `fields` of each row, and a column for each sample.
template <class Row> Table by_sample(const Projection& s, const char* title, const std::vector<Row>& rows,
                                     RowFields<Row> fields, Data (*cell)(const Row&, size_t sample)) {
  for (size_t i = 0; i < s.samples.size(); ++i)
    fields.add({s.samples[i].name.c_str(), [cell, i](const Row& row) { return cell(row, i); }});
  return fields.table(rows, title);
}

Data epoch_error(const Machine& m, size_t sample) { return percent(m.projected[sample].error); }
Data speedup_points(const Machine& m, size_t sample) { return points_of(speedup_error(m, sample)); }
Data statistic_error(const StatisticProjection& statistic, size_t sample) {
  const auto error = error_of(statistic, sample);
  return error ? Data(percent(*error)) : Data();
}

// ---- the picture

constexpr int64_t kMostBars = 60;  // of a histogram

std::string subtitle_of(const Projection& s) {
  return fmt::format("{} iterations of {} lengths, {} SeqPoints", s.epoch.iterations(), s.epoch.lengths.size(),
                     s.selection.sample.points.size());
}

/// What the marks mean: all lengths are there, none is between or beyond.
svg::CurveKey key() { return {.points = "SeqPoint", .known = "all lengths of the run"}; }

/// Bars of a whole number of lengths each, so that none is wider than another.
struct Bars {
  explicit Bars(const Epoch& epoch) : first(epoch.lengths.front().length) {
    const int64_t last = epoch.lengths.back().length;
    width = (last - first) / kMostBars + 1;
    iterations.resize(static_cast<size_t>((last - first) / width) + 1);
    for (const LengthTime& l : epoch.lengths) iterations[at(l.length)] += l.iterations;
  }
  size_t at(int64_t length) const { return static_cast<size_t>((length - first) / width); }
  double from(size_t bar) const { return static_cast<double>(first + static_cast<int64_t>(bar) * width) - 0.5; }

  int64_t first, width = 1;
  std::vector<int64_t> iterations;
};

/// The outline of the bars, from the ground to the ground.
std::vector<svg::CurveSample> outline(const Bars& bars) {
  std::vector<svg::CurveSample> out{{bars.from(0), 0}};
  for (size_t i = 0; i < bars.iterations.size(); ++i) {
    const auto height = static_cast<double>(bars.iterations[i]);
    out.push_back({bars.from(i), height});
    out.push_back({bars.from(i + 1), height});
  }
  out.push_back({bars.from(bars.iterations.size()), 0});
  return out;
}

svg::Curves histogram(const Projection& s) {
  const Bars bars(s.epoch);
  svg::Curve curve{
      .label = {"iterations"}, .runs = {outline(bars)}, .known = {bars.from(0), bars.from(bars.iterations.size())}};
  for (const Point& p : s.selection.sample.points) {
    const int64_t length = s.epoch.lengths[p.at].length;
    curve.points.push_back({static_cast<double>(length), static_cast<double>(bars.iterations[bars.at(length)]),
                            fmt::format("length {}: stands for {} iterations", length, p.weight)});
  }
  return {.title = title_of(s, "how often each length occurs"),
          .subtitle = subtitle_of(s),
          .x = {.title = "sequence length"},
          .y = {.title = bars.width == 1 ? "iterations" : fmt::format("iterations of {} lengths each", bars.width)},
          .curves = {std::move(curve)},
          .key = key()};
}

/// One value for each length, the SeqPoints marked.
svg::Curve curve_of(const Projection& s, const std::string& name, const std::vector<double>& values, Unit unit) {
  svg::Curve curve{.label = {name}, .runs = {{}}};
  for (size_t i = 0; i < values.size(); ++i)
    curve.runs.front().push_back({static_cast<double>(s.epoch.lengths[i].length), values[i]});
  curve.known = {curve.runs.front().front().x, curve.runs.front().back().x};
  for (const Point& p : s.selection.sample.points)
    curve.points.push_back({static_cast<double>(s.epoch.lengths[p.at].length), values[p.at],
                            fmt::format("length {}: {}, stands for {} iterations", s.epoch.lengths[p.at].length,
                                        figure(Data(values[p.at]), unit), p.weight)});
  return curve;
}

svg::Curves against_length(const Projection& s, const std::string& what, const std::string& y,
                           std::vector<svg::Curve> curves) {
  return {.title = title_of(s, what + " against length"),
          .subtitle = subtitle_of(s),
          .x = {.title = "sequence length"},
          .y = {.title = y},
          .curves = std::move(curves),
          .key = key()};
}

svg::Picture seqpoint_picture(const Projection& s, const std::string& of) {
  if (of == kHistogram) return histogram(s);
  for (const StatisticProjection& statistic : s.statistics)
    if (statistic.name == of)
      return against_length(s, of, of + " of an iteration", {curve_of(s, of, statistic.by_length, Unit::number)});
  const bool judged = s.truth.has_value();
  std::vector<svg::Curve> curves{
      curve_of(s, judged ? "what the choice sees" : "an iteration", s.epoch.times(), Unit::seconds)};
  if (judged) curves.push_back(curve_of(s, "the truth", s.truth_times, Unit::seconds));
  return against_length(s, "time", "time of an iteration, s", std::move(curves));
}

}  // namespace

Report seqpoint_report(const Projection& s, const std::string& picture) {
  const Totals totals(s);
  const Table rows = points(s, totals);
  Report report{.format = "trainplan.seqpoint/1",
                .document = seqpoint_document(s, totals),
                .key = "points",
                .table = rows,
                .text = {seqpoint_headline(s), facts(s, totals), rows, held_against(s, totals)},
                .picture = [&s, picture] { return seqpoint_picture(s, picture); }};
  const RowFields<StatisticProjection> log{
      {"statistic", &StatisticProjection::name},
      {"log", &StatisticProjection::actual, Unit::number},
      {"projected", [](auto& each) { return each.projected[0]; }, Unit::number},
  };
  if (!s.statistics.empty())
    report.text.emplace_back(by_sample(s, "Statistics of the log", s.statistics, log, statistic_error));
  if (s.machines.empty()) return report;
  const RowFields<Machine> machine{{"machine", &Machine::name}};
  report.text.emplace_back(machines(s));
  report.text.emplace_back(by_sample(s, "Error of the epoch there", s.machines, machine, epoch_error));
  report.text.emplace_back(by_sample(s, "Error of the speed-up, in points", s.machines, machine, speedup_points));
  return report;
}

}  // namespace cli
