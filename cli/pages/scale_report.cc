// The page of scaling models:
//
//     runs.json: 12 models of p
//
//     call path   metric  model                          SMAPE  growth
//     main->fft   time    1.2 + 0.3 * p^(1/2) * log2(p)  1.2 %  O(p^(1/2) * log2(p))
#include "cli/pages/scale_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/pages/scale_ratios.h"
#include "cli/pages/scale_terms.h"

namespace cli {
namespace {

using planner::scaling::Analysis;
using planner::scaling::AnalysisPoint;
using planner::scaling::kScalingNames;
using planner::scaling::Model;
using planner::scaling::Models;
using planner::scaling::Pmnf;

Data texts(const std::vector<std::string>& values) { return Data::List(values.begin(), values.end()); }

std::vector<std::string> growths_of(const Models& models) {
  std::vector<std::string> out;
  for (const Model& m : models.models)
    out.push_back(planner::scaling::big_o(m.last(), planner::scaling::growth(m.last()), models.parameters));
  return out;
}

/// Where it was fitted, as a file of models names its points.
Data points_of(const Model& m) {
  Data::List out;
  for (const auto& point : m.points) out.push_back(point.size() == 1 ? whole(point[0]) : numbers_of(point));
  return out;
}

std::optional<double> smape(const Model& m) { return m.quality ? std::optional(m.quality->smape / 100) : std::nullopt; }

// What the page shows of a model, and JSON and CSV too.
Table page_models(const Models& models, const std::vector<std::string>& growths) {
  Table table{.columns = {{.name = "callpath", .heading = "call path"},
                          {.name = "metric"},
                          {.name = "formula", .heading = "model"},
                          {.name = "smape", .unit = Unit::fraction, .heading = "SMAPE"},
                          {.name = "growth", .rank = 1}}};
  table.rows.reserve(models.models.size());
  for (size_t i = 0; i < models.models.size(); ++i) {
    const Model& m = models.models[i];
    table.rows.push_back({m.callpath, m.metric, text(m.last(), models.parameters), Data(smape(m)), growths[i]});
  }
  return table;
}

Table model_rows(const Models& models, const std::vector<std::string>& growths) {
  Table table = page_models(models, growths);
  for (Column& c : std::vector<Column>{{.name = "constant", .unit = Unit::number},
                                       {.name = "terms"},
                                       {.name = "segments"},
                                       {.name = "ar2", .unit = Unit::number},
                                       {.name = "rss", .unit = Unit::number},
                                       {.name = "re", .unit = Unit::number},
                                       {.name = "variation", .unit = Unit::fraction},
                                       {.name = "points"},
                                       {.name = "evaluated"},
                                       {.name = "warnings"}})
    table.columns.push_back(std::move(c));
  for (size_t i = 0; i < models.models.size(); ++i) {
    const Model& m = models.models[i];
    const auto& q = m.quality;
    const auto figure_of = [&](double planner::scaling::Quality::*member) { return q ? Data((*q).*member) : Data(); };
    for (Data& cell : std::vector<Data>{
             m.last().constant, pmnf_terms(m.last(), models.parameters), segments_of(m, models.parameters),
             figure_of(&planner::scaling::Quality::ar2), figure_of(&planner::scaling::Quality::rss),
             figure_of(&planner::scaling::Quality::re), m.values.empty() ? Data() : Data(m.variation), points_of(m),
             evaluated_of(m), texts(m.warnings)})
      table.rows[i].push_back(std::move(cell));
  }
  return table;
}

Data low(const std::optional<planner::scaling::Interval>& i) { return i ? Data(i->low) : Data(); }
Data high(const std::optional<planner::scaling::Interval>& i) { return i ? Data(i->high) : Data(); }

Table points(const Analysis& a, const std::string& title, const std::string& parameter) {
  Table table{.title = title,
              .columns = {{.name = "x", .unit = Unit::number, .heading = parameter},
                          {.name = "seconds", .unit = Unit::seconds, .heading = "time"},
                          {.name = "low_seconds", .unit = Unit::seconds, .rank = 3, .heading = "95 % from"},
                          {.name = "high_seconds", .unit = Unit::seconds, .rank = 3, .heading = "to"},
                          {.name = "speedup_percent", .unit = Unit::number, .rank = 4, .heading = "less time, %"},
                          {.name = "efficiency_extradeep", .unit = Unit::fraction, .rank = 5, .heading = "eq. 13"},
                          {.name = "speedup", .unit = Unit::number},
                          {.name = "parallel_efficiency", .unit = Unit::fraction, .heading = "efficiency"},
                          {.name = "core_hours", .unit = Unit::number, .rank = 1, .heading = "core h"},
                          {.name = "gpu_hours", .unit = Unit::number, .rank = 2, .heading = "GPU h"},
                          {.name = "cost", .unit = Unit::number}}};
  for (const AnalysisPoint& p : a.points)
    table.rows.push_back({whole(p.x), p.seconds, low(p.prediction), high(p.prediction), p.speedup_percent,
                          p.efficiency_extradeep, p.speedup, p.parallel_efficiency, p.core_hours, p.gpu_hours, p.cost});
  return table;
}

Data choice(const Analysis& a, const std::string& parameter) {
  Data::List valid;
  for (const auto& [from, to] : a.choice.valid) valid.push_back(Data::List{whole(from), whole(to)});
  const auto& best = a.choice.best;
  return Data::Object{{"valid", valid},
                      {"x", best ? whole(best->x) : Data()},
                      {"parameter", parameter},
                      {"seconds", best ? Data(best->seconds) : Data()},
                      {"cost", best ? Data(best->cost) : Data()},
                      {"parallel_efficiency", best ? Data(best->parallel_efficiency) : Data()}};
}

std::string subject(const Model& m) {
  const std::string name = m.callpath.empty() ? "the run" : m.callpath;
  return m.metric.empty() ? name : name + ", " + m.metric;
}

std::string choice_text(const Analysis& a, const std::string& parameter) {
  if (!a.choice.best) return "no " + parameter + " meets the budget and the time limit";
  std::string valid;
  for (const auto& [from, to] : a.choice.valid)
    valid += fmt::format("{}{} to {}", valid.empty() ? "" : ", ", four_digits(from), four_digits(to));
  const AnalysisPoint& p = *a.choice.best;
  return fmt::format("most cost-effective, {} scaling: {} = {} ({}, cost {}, efficiency {}); valid: {}",
                     kScalingNames[static_cast<size_t>(a.scaling)], parameter, four_digits(p.x),
                     figure(Data(p.seconds), Unit::seconds), four_digits(p.cost),
                     figure(Data(p.parallel_efficiency), Unit::fraction), valid);
}

/// Indices into `analysed`, the fastest growing first.
std::vector<size_t> by_growth(const Models& models, const std::vector<Analysed>& analysed) {
  std::vector<size_t> order(analysed.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::vector<planner::scaling::Growth> growths;
  for (const Analysed& a : analysed) growths.push_back(planner::scaling::growth(models.models[a.model].last()));
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    const planner::scaling::Growth &x = growths[a], &y = growths[b];
    return x == y ? x.coefficient > y.coefficient : x > y;
  });
  return order;
}

double last_speedup(const Analysed& a) {
  return a.analysis.points.empty() ? 0 : a.analysis.points.back().speedup_percent;
}

/// The rank of each of `analysed` by the speed-up at its last point, the largest first.
std::vector<int64_t> speedup_ranks(const std::vector<Analysed>& analysed) {
  std::vector<size_t> order(analysed.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order,
                           [&](size_t a, size_t b) { return last_speedup(analysed[a]) > last_speedup(analysed[b]); });
  std::vector<int64_t> ranks(analysed.size());
  for (size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<int64_t>(i) + 1;
  return ranks;
}

/// `growths`: of each model, as text.
Table ranking(const Models& models, const std::vector<Analysed>& analysed, const std::vector<std::string>& growths) {
  Table table{
      .title = "By growth",
      .columns = {{.name = "callpath", .heading = "call path"},
                  {.name = "metric"},
                  {.name = "growth"},
                  {.name = "speedup_percent", .unit = Unit::number, .heading = "less time at the last point, %"},
                  {.name = "speedup_rank", .unit = Unit::count, .heading = "rank by that"}}};
  const std::vector<int64_t> ranks = speedup_ranks(analysed);
  for (const size_t i : by_growth(models, analysed)) {
    const Model& m = models.models[analysed[i].model];
    table.rows.push_back({m.callpath, m.metric, growths[analysed[i].model], last_speedup(analysed[i]), Data(ranks[i])});
  }
  return table;
}

Data subjects(const Models& models, const std::vector<Analysed>& analysed) {
  Data::List out;
  out.reserve(analysed.size());
  for (const Analysed& a : analysed) {
    const Model& m = models.models[a.model];
    Data::Object subject{{"callpath", m.callpath},
                         {"metric", m.metric},
                         {"scaling", kScalingNames[static_cast<size_t>(a.analysis.scaling)]},
                         {"base", whole(a.analysis.base)}};
    subject.push_back({"points", rows_of(points(a.analysis, "", ""))});
    subject.push_back({"best", choice(a.analysis, models.parameters[0])});
    if (a.ratios) subject.push_back({"ratios", ratios_document(*a.ratios, models.parameters[0], m)});
    out.emplace_back(std::move(subject));
  }
  return out;
}

Data rare(const Models& models) {
  Data::List out;
  for (const planner::scaling::Rare& r : models.rare)
    out.push_back(Data::Object{{"callpath", r.callpath}, {"configurations", static_cast<int64_t>(r.configurations)}});
  return out;
}

Table against(const std::vector<planner::scaling::AgainstPoint>& points, const std::string& parameter) {
  Table table{.title = "Beside the planner",
              .columns = {{.name = "x", .unit = Unit::number, .heading = parameter},
                          {.name = "measured_seconds", .unit = Unit::seconds, .heading = "measured"},
                          {.name = "empirical_seconds", .unit = Unit::seconds, .heading = "model"},
                          {.name = "analytical_seconds", .unit = Unit::seconds, .heading = "planned"},
                          {.name = "low_seconds", .unit = Unit::seconds, .rank = 1, .heading = "from"},
                          {.name = "high_seconds", .unit = Unit::seconds, .rank = 1, .heading = "to"},
                          {.name = "reason", .rank = 2}}};
  for (const planner::scaling::AgainstPoint& p : points)
    table.rows.push_back({whole(p.x), Data(p.measured), p.empirical, Data(p.analytical), Data(p.low), Data(p.high),
                          p.why.empty() ? Data() : Data(p.why)});
  return table;
}

Table advice_rows(const std::vector<planner::scaling::Advice>& advice, const std::vector<std::string>& parameters) {
  Table table{.title = "Points to measure",
              .columns = {{.name = "point", .heading = fmt::format("{}", fmt::join(parameters, ", "))},
                          {.name = "predicted", .unit = Unit::number, .heading = "value there"},
                          {.name = "reason"}}};
  for (const planner::scaling::Advice& a : advice)
    table.rows.push_back(
        {a.point.empty() ? Data() : numbers_of(a.point), a.point.empty() ? Data() : Data(a.seconds), Data(a.reason)});
  return table;
}

Table sampling_rows(const Scaled& scaled) {
  Table table{.title = "What profiling a few steps saves",
              .columns = {{.name = "point", .heading = fmt::format("{}", fmt::join(scaled.models.parameters, ", "))},
                          {.name = "profiled_seconds", .unit = Unit::seconds, .heading = "profiled"},
                          {.name = "epochs", .unit = Unit::count, .heading = "epochs"},
                          {.name = "epoch_seconds", .unit = Unit::seconds, .heading = "a whole epoch"},
                          {.name = "saved", .unit = Unit::fraction}}};
  for (const planner::scaling::SamplingSaving& s : scaled.sampling)
    table.rows.push_back(
        {numbers_of(s.point), s.profiled_seconds, static_cast<int64_t>(s.epochs), s.epoch_seconds, s.saved});
  return table;
}

Table without_last(Table table) {
  table.columns.pop_back();
  for (auto& row : table.rows) row.pop_back();
  return table;
}

/// What was held back and what came of it, a line for each model.
std::string evaluation(const Model& m, const std::vector<std::string>& parameters) {
  double worst = 0, sum = 0;
  for (size_t i = 0; i < m.held.size(); ++i) {
    const double error = std::abs(m.at(m.held[i]) / m.held_values[i] - 1);
    worst = std::max(worst, error);
    sum += error;
  }
  return fmt::format("{}: {} points from {} = {} on are predicted to {} in the mean, {} at worst", subject(m),
                     m.held.size(), parameters[0], four_digits(m.held.front()[0]),
                     figure(Data(sum / static_cast<double>(m.held.size())), Unit::fraction),
                     figure(Data(worst), Unit::fraction));
}

/// What was concluded from a model of a time.
void add_analysis(const Models& models, const Analysed& a, Report& report) {
  const std::string title = fmt::format("{}, {} scaling from {} = {}", subject(models.models[a.model]),
                                        kScalingNames[static_cast<size_t>(a.analysis.scaling)], models.parameters[0],
                                        four_digits(a.analysis.base));
  report.text.emplace_back(points(a.analysis, title, models.parameters[0]));
  report.text.emplace_back(choice_text(a.analysis, models.parameters[0]));
}

void add_pages(const Models& models, const std::vector<Analysed>& analysed, const std::vector<std::string>& growths,
               Report& report) {
  const bool many = analysed.size() > kMostPages;
  if (many) report.text.emplace_back(ranking(models, analysed, growths));
  for (const Analysed& a : analysed) {
    const Model& time = models.models[a.model];
    if (!many) add_analysis(models, a, report);
    else if (a.ratios) report.text.emplace_back(subject(time) + ":");
    if (a.ratios) add_ratios(*a.ratios, models.parameters[0], time, report);
  }
}

Data::Object scale_document(const Scaled& scaled, const std::vector<std::string>& growths) {
  const Models& models = scaled.models;
  Data::Object out{{"parameters", texts(models.parameters)}, {"models", Data::List{}}};
  Data::Object analysis{{"parameter", models.parameters[0]}};
  analysis.push_back({"subjects", subjects(models, scaled.analysed)});
  analysis.push_back({"ranking", rows_of(ranking(models, scaled.analysed, growths))});
  out.push_back({"analysis", std::move(analysis)});
  if (!scaled.against.empty()) out.push_back({"against", rows_of(against(scaled.against, models.parameters[0]))});
  if (scaled.advice) out.push_back({"advice", rows_of(advice_rows(*scaled.advice, models.parameters))});
  if (!scaled.sampling.empty()) out.push_back({"sampling", rows_of(sampling_rows(scaled))});
  out.push_back({"rare", rare(models)});
  out.push_back({"refused", texts(models.refused)});
  return out;
}

}  // namespace

Report scale_report(const std::string& title, const Scaled& scaled) {
  const Models& models = scaled.models;
  const std::vector<Analysed>& analysed = scaled.analysed;
  const std::string parameters = fmt::format("{}", fmt::join(models.parameters, ", "));
  const std::vector<std::string> growths = growths_of(models);
  Report report{.format = "trainplan.scale/1",
                .document = {},
                .key = "models",
                .table = {},
                .text = {fmt::format("{}: {} {} of {}", title, models.models.size(),
                                     models.models.size() == 1 ? "model" : "models", parameters),
                         page_models(models, growths)}};
  report.complete = [&scaled, growths](Report& r) {
    r.document = scale_document(scaled, growths);
    r.table = model_rows(scaled.models, growths);
  };
  if (!scaled.against.empty()) {
    Table beside = against(scaled.against, models.parameters[0]);
    const bool all = std::ranges::all_of(scaled.against, [](const auto& p) { return p.why.empty(); });
    report.text.emplace_back(all ? without_last(std::move(beside)) : std::move(beside));
  }
  if (scaled.advice) {
    Table wanted = advice_rows(*scaled.advice, models.parameters);
    if (wanted.rows.empty()) report.text.emplace_back("the points are enough: five values of each parameter");
    else report.text.emplace_back(std::move(wanted));
  }
  if (!scaled.sampling.empty()) report.text.emplace_back(sampling_rows(scaled));
  add_pages(models, analysed, growths, report);
  for (const Model& m : models.models)
    if (!m.held.empty()) report.text.emplace_back(evaluation(m, models.parameters));
  for (const Model& m : models.models)
    for (const std::string& w : m.warnings) report.text.emplace_back(fmt::format("{}: {}", subject(m), w));
  for (const std::string& r : models.refused) report.text.emplace_back("no model: " + r);
  return report;
}

}  // namespace cli
