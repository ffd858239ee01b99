#include "planner/studies/errors/fit_errors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <span>

#include "planner/plan/layout_traits.h"
#include "planner/plan/uncertainty.h"
#include "planner/scaling/quality.h"
#include "planner/studies/errors/climb.h"
#include "planner/studies/errors/error_scores.h"

namespace planner {
namespace {

constexpr double kTraitSpread = 0.5;  // of a trait's deviation around the common one: that of its logarithm
constexpr double kSpread = 1;         // of the logarithms of factors around 1
constexpr double kLeast = 1e-3;       // of a standard deviation

struct Change {
  std::vector<double> apart;  // of each trait
  double ratio = 0, planned = 0, measured = 0, weight = 0;
};

std::vector<Change> changes_of(const std::vector<ErrorRow>& rows) {
  std::vector<Change> out;
  for (const auto& [job, layouts] : layouts_of_jobs(rows)) {
    const auto n = static_cast<double>(layouts.size());
    for (size_t a = 0; a < layouts.size(); ++a)
      for (size_t b = 0; b < a; ++b) {
        const MeasuredLayout &x = layouts[a], &y = layouts[b];
        Change& change = out.emplace_back(Change{.ratio = x.ratio - y.ratio,
                                                 .planned = x.planned - y.planned,
                                                 .measured = x.measured - y.measured,
                                                 .weight = std::sqrt(n - 1) / (n * (n - 1) / 2)});
        for (const LayoutTrait& t : layout_traits()) change.apart.push_back(t.apart(*x.layout, *y.layout));
      }
  }
  return out;
}

double variance_of(const Change& change, std::span<const double> deviations) {
  double variance = 0;
  for (size_t i = 0; i < change.apart.size(); ++i) variance += deviations[i] * deviations[i] * change.apart[i];
  return variance;
}

/// `at`: the common deviation, then that of each trait.
double likelihood(const std::vector<Change>& changes, const std::vector<double>& at) {
  double sum = 0;
  for (const Change& c : changes) {
    const double variance = variance_of(c, std::span(at).subspan(1));
    sum -= c.weight * (std::log(variance) + c.ratio * c.ratio / variance) / 2;
  }
  for (size_t i = 1; i < at.size(); ++i) sum -= std::pow(std::log(at[i] / at[0]) / kTraitSpread, 2) / 2;
  return sum;
}

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

std::vector<double> fit_changes(const std::vector<ErrorRow>& rows) {
  const std::vector<Change> changes = changes_of(rows);
  const std::vector<double> start(1 + layout_traits().size(), kUnknownChange);
  const std::vector<double> at =
      climbed(start, kLeast, 1e-3, [&](const std::vector<double>& there) { return likelihood(changes, there); });
  return {at.begin() + 1, at.end()};
}

ChangeScore change_score(const std::vector<ErrorRow>& rows, const std::vector<double>& deviations) {
  ChangeScore out;
  for (const auto& [job, layouts] : layouts_of_jobs(rows)) out.jobs += layouts.size() > 1;
  for (const Change& c : changes_of(rows)) {
    ++out.pairs;
    if (std::fabs(c.planned) <= kTenthPercentile * std::sqrt(variance_of(c, deviations))) continue;
    ++out.apart, out.wrong += c.planned * c.measured < 0;
  }
  return out;
}

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
