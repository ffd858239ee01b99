#include "cli/pages/scale_parts.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/report/row_fields.h"

namespace cli {
namespace {

using namespace planner::scaling;

constexpr double kRounding = 1e-9;  // of a value that is 0 by definition at the base

Data term_data(const Term& term, const std::vector<std::string>& parameters) {
  Data::Object factors;
  for (const Factor& f : term.factors)
    factors.push_back({parameters[f.parameter],
                       Data::Object{{"exponent", f.polynomial.value()}, {"log2_exponent", f.logarithm.value()}}});
  return Data::Object{{"coefficient", term.coefficient}, {"factors", std::move(factors)}};
}

const char* name_of(Ratio of) { return kRatioNames[static_cast<size_t>(of)]; }

const char* heading_of(Ratio of) {
  return of == Ratio::speedup_percent        ? "less time, %"
         : of == Ratio::efficiency_extradeep ? "efficiency, eq. 13"
                                             : "efficiency";
}

/// A distance between two values of a ratio, as a fraction: speed-ups are in per cent.
double share(Ratio of, double distance) { return of == Ratio::speedup_percent ? distance / 100 : distance; }

Data points_of(const RatioModel& ratio) {
  const RowFields<RatioPoint> fields{
      {"x", whole_of(&RatioPoint::x)},
      {"fitted", &RatioPoint::fitted},
      {"from_time", &RatioPoint::from_time},
      {"own", &RatioPoint::own},
  };
  return fields.list(ratio.points);
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
                      {"formula", text(m.last(), parameters)},
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
  const auto formula = [&](const RatioModel& r) { return text(r.model.last(), std::vector{parameter}); };
  const auto quality = [](const RatioModel& r) -> const auto& { return r.model.quality; };
  const RowFields<RatioModel> fields{
      {"of", [](auto& r) { return heading_of(r.of); }, Unit::text, "ratio"},
      {"formula", formula, Unit::text, "model"},
      {"smape", [&](auto& r) { return quality(r) ? Data(quality(r)->smape / 100) : Data(); }, Unit::fraction, "SMAPE",
       2},
      {"ar2", [&](auto& r) { return quality(r) ? Data(quality(r)->ar2) : Data(); }, Unit::number, "AR2", 1},
      {"off_points", [](auto& r) { return share(r.of, r.off_points); }, Unit::fraction, "off its points"},
      {"off_time", [](auto& r) { return share(r.of, r.off_time); }, Unit::fraction, "off the time's"},
  };
  return fields.table(ratios.models, ratios.given ? "Speed-up and efficiency fitted to the points of the given model"
                                                  : "Speed-up and efficiency fitted to the points");
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

std::string subject_of(const Model& m) {
  const std::string name = m.callpath.empty() ? "the run" : m.callpath;
  return m.metric.empty() ? name : name + ", " + m.metric;
}

Data pmnf_terms(const Pmnf& model, const std::vector<std::string>& parameters) {
  return list_of(model.terms, [&](const Term& term) { return term_data(term, parameters); });
}

Data numbers_of(const std::vector<double>& values) {
  return list_of(values, [](double x) { return whole(x); });
}

Data segments_of(const Model& m, const std::vector<std::string>& parameters) {
  if (m.parts.size() < 2) return {};
  const RowFields<Pmnf> fields{{"constant", &Pmnf::constant},
                               {"terms", [&](auto& part) { return pmnf_terms(part, parameters); }}};
  return Data::Object{{"models", fields.list(m.parts)}, {"change_points", numbers_of(m.change_points)}};
}

Data evaluated_of(const Model& m) {
  return list_of(places(m.held.size()), [&](size_t i) {
    const double predicted = m.at(m.held[i]), measured = m.held_values[i];
    return Data::Object{{"point", numbers_of(m.held[i])},
                        {"measured", measured},
                        {"predicted", predicted},
                        {"error", measured != 0 ? Data((predicted - measured) / measured) : Data()}};
  });
}

Data ratios_document(const Ratios& ratios, const std::string& parameter, const Model& time) {
  return Data::Object{{"points_from", ratios.given ? "model" : "measurements"},
                      {"models", list_of(ratios.models, [&](auto& r) { return document(r, parameter, time); })},
                      {"why", field_data(ratios.why)}};
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
  for (const std::string& w : ratios.why) report.text.emplace_back(fmt::format("{}: {}", subject_of(time), w));
}

}  // namespace cli
