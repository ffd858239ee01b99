#include "planner/studies/errors/fit_errors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "planner/scaling/quality.h"
#include "planner/studies/errors/error_scores.h"

namespace planner {
namespace {

constexpr double kSpread = 1;    // of the logarithms of factors around 1
constexpr double kLeast = 1e-3;  // of a standard deviation

double square(double x) { return x * x; }

constexpr std::array kAsked{LeftOut::family, LeftOut::group, LeftOut::row};

/// Calls `visit` with every factor of a class.
template <class Model, class Visit> void each_factor(Model& model, Visit visit) {
  for (auto& s : model.generations) visit(s.factor);
  for (auto& s : model.kinds) visit(s.factor);
  for (auto& s : model.widths) visit(s.factor);
}

double score(const ErrorModel& model, const std::vector<ErrorRow>& rows) {
  double sum = 0, far = 0;  // factors far from 1: those of a few runs stay near it
  for (const LeftOut each : kAsked) sum += log_score(model, rows, each) / static_cast<double>(kAsked.size());
  each_factor(model, [&](double factor) { far += square(std::log(factor) / kSpread) / 2; });
  return sum - far / static_cast<double>(rows.size());
}

/// The numbers that the score chooses; all but the mean are positive. What operators are worse known by than those of
/// compared runs counts in full: the runs hold too few such machines to say.
constexpr std::array kNumbers{&ErrorModel::mean, &ErrorModel::software, &ErrorModel::family, &ErrorModel::group,
                              &ErrorModel::run,  &ErrorModel::distance, &ErrorModel::doubt};

/// All that the score chooses.
std::vector<double*> chosen(ErrorModel& model) {
  std::vector<double*> out;
  for (double ErrorModel::*number : kNumbers) out.push_back(&(model.*number));
  each_factor(model, [&](double& factor) { out.push_back(&factor); });
  return out;
}

/// Changes one number at a time by steps that shrink, as long as the score rises.
void climb(ErrorModel& model, const std::vector<ErrorRow>& rows) {
  double best = score(model, rows);
  for (double step = 0.5; step > 0.02; step /= 2) {
    bool rises = true;
    while (rises) {
      rises = false;
      for (size_t i = 0; i < chosen(model).size(); ++i)
        for (const double sign : {1.0, -1.0}) {
          ErrorModel other = model;
          double& value = *chosen(other)[i];
          if (&value == &other.mean) value += sign * step * 0.1;
          else value = std::max(kLeast, value * std::exp(sign * step));
          const double there = score(other, rows);
          if (there <= best + 1e-6) continue;
          best = there, model = other, rises = true;
        }
    }
  }
}

template <class Scatter, class ValueOf> std::vector<Scatter> ones(const std::vector<ErrorRow>& rows, ValueOf value_of) {
  std::set<std::decay_t<decltype(value_of(rows.front().family))>> values;
  for (const ErrorRow& row : rows) values.insert(value_of(row.family));
  std::vector<Scatter> out;
  for (const auto& value : values) out.push_back({value, 1});
  return out;
}

/// The spread of families' means, and that of the means of groups in their families. Each counts once, whatever its
/// number of runs: many runs of one source are one witness.
void set_spreads(StrayErrors& strays, const std::vector<ErrorRow>& rows) {
  double families = 0, between = 0, within = 0, others = 0;
  for (const auto& [software, members] : by_software(rows))
    for (const ErrorFamily& f : families_of(members, &ErrorRow::shipped)) {
      ++families, between += square(scaling::mean_of(f.means));
      within += scaling::spread_of(f.means), others += static_cast<double>(f.means.size() - 1);
    }
  strays.family = std::sqrt(between / families);
  if (others > 0) strays.group = std::sqrt(within / others);
}

/// The remaining scatter of families whose plans are shifted, if shifting raises the score at all.
void set_strays(ErrorModel& model, const std::vector<ErrorRow>& rows) {
  double best = score(model, rows);
  ErrorModel other = model;
  set_spreads(other.strays, rows);
  for (const double scatter : {1.0, 0.75, 0.5, 0.25, 0.0}) {
    other.strays.scatter = scatter;
    const double there = score(other, rows);
    if (there > best) best = there, model.strays = other.strays;
  }
}

/// The spread of own machines at which one and two of their runs say most of the larger ones.
void set_machine(ErrorModel& model, const std::vector<ErrorRow>& rows) {
  double best = -std::numeric_limits<double>::infinity();
  ErrorModel other = model;
  for (other.machine = 0.02; other.machine < 0.5; other.machine *= 1.1) {
    double sum = 0;
    for (const OwnScore& own : own_scores(other, rows))
      if (own.runs == 1 || own.runs == 2) sum += own.score.log_score;
    if (sum > best) best = sum, model.machine = other.machine;
  }
}

}  // namespace

ErrorModel fit_errors(const std::vector<ErrorRow>& rows) {
  ErrorModel model{
      .software = 0.15, .family = 0.08, .group = 0.03, .run = 0.05, .operators = 1, .distance = 0.05, .doubt = 0.3};
  for (const ErrorRow& row : rows) model.known_operators += row.operators / static_cast<double>(rows.size());
  model.generations = ones<GenerationScatter>(rows, [](const FamilyKey& key) { return key.generation; });
  model.kinds = ones<KindScatter>(rows, [](const FamilyKey& key) { return key.kind; });
  model.widths = ones<WidthScatter>(rows, [](const FamilyKey& key) { return key.width; });
  climb(model, rows);
  set_strays(model, rows);
  set_machine(model, rows);
  return model;
}

}  // namespace planner
