#include "cli/pages/scale_ratios.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/pages/scale_terms.h"

namespace cli {
namespace {

using planner::scaling::kRatioNames;
using planner::scaling::Model;
using planner::scaling::Ratio;
using planner::scaling::RatioModel;
using planner::scaling::RatioPoint;
using planner::scaling::Ratios;

constexpr double kRounding = 1e-9;  // of a value that is 0 by definition at the base

const char* name_of(Ratio of) { return kRatioNames[static_cast<size_t>(of)]; }

const char* heading_of(Ratio of) {
  return of == Ratio::speedup_percent        ? "less time, %"
         : of == Ratio::efficiency_extradeep ? "efficiency, eq. 13"
                                             : "efficiency";
}

/// A distance between two values of a ratio, as a fraction: speed-ups are in per cent.
double share(Ratio of, double distance) { return of == Ratio::speedup_percent ? distance / 100 : distance; }

Data points_of(const RatioModel& ratio) {
  Data::List out;
  for (const RatioPoint& p : ratio.points)
    out.push_back(
        Data::Object{{"x", whole(p.x)}, {"fitted", p.fitted}, {"from_time", p.from_time}, {"own", Data(p.own)}});
  return out;
}

Data best_of(const RatioModel& ratio, const Model& time) {
  if (!ratio.best) return {};
  const std::vector<double> at{*ratio.best};
  Data::Object out{{"x", whole(*ratio.best)}, {"fitted", ratio.model.at(at)}};
  if (time.points.front().size() == 1) out.push_back({"seconds", time.at(at)});
  return out;
}

Data document(const RatioModel& ratio, const std::string& parameter, const Model& time) {
  const Model& m = ratio.model;
  const std::vector<std::string> parameters{parameter};
  const bool judged = m.quality.has_value();
  return Data::Object{{"of", name_of(ratio.of)},
                      {"formula", planner::scaling::text(m.last(), parameters)},
                      {"constant", m.last().constant},
                      {"terms", pmnf_terms(m.last(), parameters)},
                      {"segments", segments_of(m, parameters)},
                      {"smape", judged ? Data(m.quality->smape / 100) : Data()},
                      {"ar2", judged ? Data(m.quality->ar2) : Data()},
                      {"rss", judged ? Data(m.quality->rss) : Data()},
                      {"off_points", ratio.off_points},
                      {"off_time", ratio.off_time},
                      {"points", points_of(ratio)},
                      {"evaluated", evaluated_of(m)},
                      {"best", best_of(ratio, time)}};
}

Table models_table(const Ratios& ratios, const std::string& parameter) {
  Table table{.title = ratios.given ? "Speed-up and efficiency fitted to the points of the given model"
                                    : "Speed-up and efficiency fitted to the points",
              .columns = {{.name = "of", .heading = "ratio"},
                          {.name = "formula", .heading = "model"},
                          {.name = "smape", .unit = Unit::fraction, .rank = 2, .heading = "SMAPE"},
                          {.name = "ar2", .unit = Unit::number, .rank = 1, .heading = "AR2"},
                          {.name = "off_points", .unit = Unit::fraction, .heading = "off its points"},
                          {.name = "off_time", .unit = Unit::fraction, .heading = "off the time's"}}};
  for (const RatioModel& r : ratios.models) {
    const auto& q = r.model.quality;
    table.rows.push_back({heading_of(r.of), planner::scaling::text(r.model.last(), std::vector{parameter}),
                          q ? Data(q->smape / 100) : Data(), q ? Data(q->ar2) : Data(), share(r.of, r.off_points),
                          share(r.of, r.off_time)});
  }
  return table;
}

/// A row for each point: what the model of the time gives, and the fitted model beside it.
Table points_table(const Ratios& ratios, const std::string& parameter) {
  Table table{.title = "Fitted, beside what follows from the time",
              .columns = {{.name = "x", .unit = Unit::number, .heading = parameter}}};
  for (const RatioModel& r : ratios.models) {
    const Unit unit = r.of == Ratio::speedup_percent ? Unit::number : Unit::fraction;
    table.columns.push_back(
        {.name = fmt::format("{}_from_time", name_of(r.of)), .unit = unit, .heading = heading_of(r.of)});
    table.columns.push_back({.name = name_of(r.of), .unit = unit, .heading = "fitted"});
  }
  for (size_t i = 0; i < ratios.models.front().points.size(); ++i) {
    std::vector<Data> row{whole(ratios.models.front().points[i].x)};
    for (const RatioModel& r : ratios.models) {
      row.push_back(r.points[i].from_time);
      const double fitted = r.points[i].fitted;
      row.push_back(std::abs(fitted) < kRounding ? 0 : fitted);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string best_text(const RatioModel& r, const std::string& parameter) {
  return fmt::format("by the fitted {}: {} = {} ({})", heading_of(r.of), parameter, four_digits(*r.best),
                     figure(Data(r.model.at(std::vector{*r.best})), Unit::fraction));
}

}  // namespace

Data ratios_document(const Ratios& ratios, const std::string& parameter, const Model& time) {
  Data::List models, why;
  for (const RatioModel& r : ratios.models) models.push_back(document(r, parameter, time));
  for (const std::string& w : ratios.why) why.emplace_back(w);
  return Data::Object{
      {"points_from", ratios.given ? "model" : "measurements"}, {"models", std::move(models)}, {"why", std::move(why)}};
}

void add_ratios(const Ratios& ratios, const std::string& parameter, const Model& time, Report& report) {
  if (!ratios.models.empty()) {
    report.text.emplace_back(models_table(ratios, parameter));
    report.text.emplace_back(points_table(ratios, parameter));
  }
  std::string best;
  for (const RatioModel& r : ratios.models)
    if (r.best) best += (best.empty() ? "most cost-effective, " : "; ") + best_text(r, parameter);
  if (!best.empty()) report.text.emplace_back(best);
  const std::string run = time.callpath.empty() ? "the run" : time.callpath;
  const std::string subject = time.metric.empty() ? run : run + ", " + time.metric;
  for (const std::string& w : ratios.why) report.text.emplace_back(fmt::format("{}: {}", subject, w));
}

}  // namespace cli
