// The page of scaling models:
//
//     runs.json: 12 models of p
//
//     call path   metric  model                          SMAPE  growth
//     main->fft   time    1.2 + 0.3 * p^(1/2) * log2(p)  1.2 %  O(p^(1/2) * log2(p))
#include "cli/pages/scale_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/pages/scale_parts.h"
#include "cli/report/row_fields.h"

namespace cli {
namespace {

using namespace planner::scaling;

std::vector<std::string> growths_of(const Models& models) {
  std::vector<std::string> out;
  for (const Model& m : models.models) out.push_back(big_o(m.last(), growth(m.last()), models.parameters));
  return out;
}

/// Where it was fitted, as a file of models names its points.
Data points_of(const Model& m) {
  return list_of(m.points, [](const auto& point) { return point.size() == 1 ? whole(point[0]) : numbers_of(point); });
}

auto quality_of(double Quality::*figure) {
  return [figure](const Model& m) { return m.quality ? Data((*m.quality).*figure) : Data(); };
}

/// `growths`: of each model, as text. The page shows the first of them.
RowFields<Model> model_fields(const Models& models, const std::vector<std::string>& growths) {
  const std::vector<std::string>& names = models.parameters;
  return {
      {"callpath", &Model::callpath, Unit::text, "call path"},
      {"metric", &Model::metric, Unit::text, ""},
      {"formula", [&](auto& m) { return text(m.last(), names); }, Unit::text, "model"},
      {"smape", [](auto& m) { return m.quality ? Data(m.quality->smape / 100) : Data(); }, Unit::fraction, "SMAPE"},
      {"growth", [&](auto& m) { return growths[static_cast<size_t>(&m - models.models.data())]; }, Unit::text, "", 1},
      {"constant", [](auto& m) { return m.last().constant; }, Unit::number},
      {"terms", [&](auto& m) { return pmnf_terms(m.last(), names); }},
      {"segments", [&](auto& m) { return segments_of(m, names); }},
      {"ar2", quality_of(&Quality::ar2), Unit::number},
      {"rss", quality_of(&Quality::rss), Unit::number},
      {"re", quality_of(&Quality::re), Unit::number},
      {"variation", [](auto& m) { return m.values.empty() ? Data() : Data(m.variation); }, Unit::fraction},
      {"points", points_of},
      {"evaluated", evaluated_of},
      {"warnings", &Model::warnings},
  };
}

Table points(const Analysis& a, const std::string& title, const std::string& parameter) {
  const auto end = [](double Interval::*end) {
    return [end](const AnalysisPoint& p) { return p.prediction ? Data((*p.prediction).*end) : Data(); };
  };
  const RowFields<AnalysisPoint> fields{
      {"x", whole_of(&AnalysisPoint::x), Unit::number, parameter},
      {"seconds", &AnalysisPoint::seconds, Unit::seconds, "time"},
      {"low_seconds", end(&Interval::low), Unit::seconds, "95 % from", 3},
      {"high_seconds", end(&Interval::high), Unit::seconds, "to", 3},
      {"speedup_percent", &AnalysisPoint::speedup_percent, Unit::number, "less time, %", 4},
      {"efficiency_extradeep", &AnalysisPoint::efficiency_extradeep, Unit::fraction, "eq. 13", 5},
      {"speedup", &AnalysisPoint::speedup, Unit::number},
      {"parallel_efficiency", &AnalysisPoint::parallel_efficiency, Unit::fraction, "efficiency"},
      {"core_hours", &AnalysisPoint::core_hours, Unit::number, "core h", 1},
      {"gpu_hours", &AnalysisPoint::gpu_hours, Unit::number, "GPU h", 2},
      {"cost", &AnalysisPoint::cost, Unit::number},
  };
  return fields.table(a.points, title);
}

Data choice(const Analysis& a, const std::string& parameter) {
  const auto ends = [](const std::pair<double, double>& of) { return Data::List{whole(of.first), whole(of.second)}; };
  const auto& best = a.choice.best;
  return Data::Object{{"valid", list_of(a.choice.valid, ends)},
                      {"x", best ? whole(best->x) : Data()},
                      {"parameter", parameter},
                      {"seconds", best ? Data(best->seconds) : Data()},
                      {"cost", best ? Data(best->cost) : Data()},
                      {"parallel_efficiency", best ? Data(best->parallel_efficiency) : Data()}};
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
  std::vector<size_t> order = places(analysed.size());
  std::vector<Growth> growths;
  for (const Analysed& a : analysed) growths.push_back(growth(models.models[a.model].last()));
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    const Growth &x = growths[a], &y = growths[b];
    return x == y ? x.coefficient > y.coefficient : x > y;
  });
  return order;
}

double last_speedup(const Analysed& a) {
  return a.analysis.points.empty() ? 0 : a.analysis.points.back().speedup_percent;
}

/// The rank of each of `analysed` by the speed-up at its last point, the largest first.
std::vector<int64_t> speedup_ranks(const std::vector<Analysed>& analysed) {
  std::vector<size_t> order = places(analysed.size());
  std::ranges::stable_sort(order,
                           [&](size_t a, size_t b) { return last_speedup(analysed[a]) > last_speedup(analysed[b]); });
  std::vector<int64_t> ranks(analysed.size());
  for (size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<int64_t>(i) + 1;
  return ranks;
}

Table ranking(const Models& models, const std::vector<Analysed>& analysed, const std::vector<std::string>& growths) {
  const std::vector<int64_t> ranks = speedup_ranks(analysed);
  const auto of_model = [&](std::string Model::*text) {
    return [&, text](size_t i) { return models.models[analysed[i].model].*text; };
  };
  const RowFields<size_t> fields{
      {"callpath", of_model(&Model::callpath), Unit::text, "call path"},
      {"metric", of_model(&Model::metric)},
      {"growth", [&](size_t i) { return growths[analysed[i].model]; }},
      {"speedup_percent", [&](size_t i) { return last_speedup(analysed[i]); }, Unit::number,
       "less time at the last point, %"},
      {"speedup_rank", [&](size_t i) { return ranks[i]; }, Unit::count, "rank by that"},
  };
  return fields.table(by_growth(models, analysed), "By growth");
}

Data subjects(const Models& models, const std::vector<Analysed>& analysed) {
  return list_of(analysed, [&](const Analysed& a) {
    const Model& m = models.models[a.model];
    Data::Object subject{{"callpath", m.callpath},
                         {"metric", m.metric},
                         {"scaling", kScalingNames[static_cast<size_t>(a.analysis.scaling)]},
                         {"base", whole(a.analysis.base)}};
    subject.push_back({"points", rows_of(points(a.analysis, "", ""))});
    subject.push_back({"best", choice(a.analysis, models.parameters[0])});
    if (a.ratios) subject.push_back({"ratios", ratios_document(*a.ratios, models.parameters[0], m)});
    return subject;
  });
}

Table against(const std::vector<AgainstPoint>& points, const std::string& parameter) {
  const RowFields<AgainstPoint> fields{
      {"x", whole_of(&AgainstPoint::x), Unit::number, parameter},
      {"measured_seconds", &AgainstPoint::measured, Unit::seconds, "measured"},
      {"empirical_seconds", &AgainstPoint::empirical, Unit::seconds, "model"},
      {"analytical_seconds", &AgainstPoint::analytical, Unit::seconds, "planned"},
      {"low_seconds", &AgainstPoint::low, Unit::seconds, "from", 1},
      {"high_seconds", &AgainstPoint::high, Unit::seconds, "to", 1},
      {"reason", or_null(&AgainstPoint::why), Unit::text, "", 2},
  };
  return fields.table(points, "Beside the planner");
}

Table advice_rows(const std::vector<Advice>& advice, const std::vector<std::string>& parameters) {
  const auto point = [](const Advice& a) { return a.point.empty() ? Data() : numbers_of(a.point); };
  const RowFields<Advice> fields{
      {"point", point, Unit::text, fmt::format("{}", fmt::join(parameters, ", "))},
      {"predicted", [](auto& a) { return a.point.empty() ? Data() : Data(a.seconds); }, Unit::number, "value there"},
      {"reason", &Advice::reason},
  };
  return fields.table(advice, "Points to measure");
}

Table sampling_rows(const Scaled& scaled) {
  const RowFields<SamplingSaving> fields{
      {"point", [](auto& s) { return numbers_of(s.point); }, Unit::text,
       fmt::format("{}", fmt::join(scaled.models.parameters, ", "))},
      {"profiled_seconds", &SamplingSaving::profiled_seconds, Unit::seconds, "profiled"},
      {"epochs", &SamplingSaving::epochs, Unit::count, "epochs"},
      {"epoch_seconds", &SamplingSaving::epoch_seconds, Unit::seconds, "a whole epoch"},
      {"saved", &SamplingSaving::saved, Unit::fraction},
  };
  return fields.table(scaled.sampling, "What profiling a few steps saves");
}

/// The held-back points and the resulting errors, a line for each model.
std::string evaluation(const Model& m, const std::vector<std::string>& parameters) {
  double worst = 0, sum = 0;
  for (size_t i = 0; i < m.held.size(); ++i) {
    const double error = std::abs(m.at(m.held[i]) / m.held_values[i] - 1);
    worst = std::max(worst, error);
    sum += error;
  }
  return fmt::format("{}: {} points from {} = {} on are predicted to {} in the mean, {} at worst", subject_of(m),
                     m.held.size(), parameters[0], four_digits(m.held.front()[0]),
                     figure(Data(sum / static_cast<double>(m.held.size())), Unit::fraction),
                     figure(Data(worst), Unit::fraction));
}

/// The analysis of a model of a time.
void add_analysis(const Models& models, const Analysed& a, Report& report) {
  const std::string title = fmt::format("{}, {} scaling from {} = {}", subject_of(models.models[a.model]),
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
    else if (a.ratios) report.text.emplace_back(subject_of(time) + ":");
    if (a.ratios) add_ratios(*a.ratios, models.parameters[0], time, report);
  }
}

Data::Object scale_document(const Scaled& scaled, const std::vector<std::string>& growths) {
  const Models& models = scaled.models;
  Data::Object out{{"parameters", field_data(models.parameters)}, {"models", Data::List{}}};
  Data::Object analysis{{"parameter", models.parameters[0]}};
  analysis.push_back({"subjects", subjects(models, scaled.analysed)});
  analysis.push_back({"ranking", rows_of(ranking(models, scaled.analysed, growths))});
  out.push_back({"analysis", std::move(analysis)});
  if (!scaled.against.empty()) out.push_back({"against", rows_of(against(scaled.against, models.parameters[0]))});
  if (scaled.advice) out.push_back({"advice", rows_of(advice_rows(*scaled.advice, models.parameters))});
  if (!scaled.sampling.empty()) out.push_back({"sampling", rows_of(sampling_rows(scaled))});
  out.push_back({"rare", list_of(models.rare, [](const Rare& r) {
                   return Data::Object{{"callpath", r.callpath}, {"configurations", field_data(r.configurations)}};
                 })});
  out.push_back({"refused", field_data(models.refused)});
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
                         model_fields(models, growths).page("", models.models)}};
  report.complete = [&scaled, growths](Report& r) {
    r.document = scale_document(scaled, growths);
    r.table = model_fields(scaled.models, growths).table(scaled.models.models);
  };
  if (!scaled.against.empty()) {
    Table beside = against(scaled.against, models.parameters[0]);
    const bool all = std::ranges::all_of(scaled.against, [](const auto& p) { return p.why.empty(); });
    report.text.emplace_back(all ? without("reason", std::move(beside)) : std::move(beside));
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
    for (const std::string& w : m.warnings) report.text.emplace_back(fmt::format("{}: {}", subject_of(m), w));
  for (const std::string& r : models.refused) report.text.emplace_back("no model: " + r);
  return report;
}

}  // namespace cli
