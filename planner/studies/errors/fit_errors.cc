#include "planner/studies/errors/fit_errors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "planner/plan/uncertainty.h"
#include "planner/scaling/quality.h"
#include "planner/studies/errors/error_scores.h"

namespace planner {
namespace {

// A few runs are far from whatever anybody predicts: a source counts otherwise, or leaves out what it did. Student's
// distribution of four degrees of freedom lets them be, where a normal one would widen every interval.
constexpr double kFreedom = 4;
constexpr double kTenthOfStudent = 1.5332062737131438;  // its 90th percentile
constexpr double kSpread = 1;                           // of the logarithms of factors around 1
constexpr double kLeast = 1e-3;                         // of a standard deviation

double square(double x) { return x * x; }

/// The families of each software, of all rows.
using SoftwareRows = std::map<std::string, std::vector<const ErrorRow*>>;

SoftwareRows by_software(const std::vector<ErrorRow>& rows) {
  SoftwareRows out;
  for (const ErrorRow& row : rows) out[row.family.software].push_back(&row);
  return out;
}

bool counts(const ErrorRow& known, const ErrorRow& asked, LeftOut left_out) {
  switch (left_out) {
    case LeftOut::nothing:
      return true;
    case LeftOut::row:
      return &known != &asked;
    case LeftOut::group:
      return known.family != asked.family || known.group != asked.group;
    case LeftOut::family:
      return known.family != asked.family;
  }
  return true;
}

const ErrorFamily* family_in(const ErrorModel& model, const FamilyKey& key) {
  for (const ErrorFamily& f : model.families)
    if (f.generation == key.generation && f.kind == key.kind && f.width == key.width) return &f;
  return nullptr;
}

/// What a plan's interval would be, had these families been compared.
RowOutlook outlook_in(const ErrorModel& model, const ErrorRow& row) {
  const ErrorFamily* family = family_in(model, row.family);
  const double scatter = model.scatter_of(row.family.generation, row.family.kind, row.family.width);
  const ErrorOutlook base = family ? family->outlook : outlook_of(model, model.mean_of_unseen(scatter), scatter, 0);
  const double known = family ? family->operators : model.known_operators;
  const double excess = square(model.operators) * std::max(0.0, square(row.operators) - square(known));
  double far = 0;
  if (family) far = model.distance * distance(row.size, *family);
  return {base.mean, std::sqrt(square(base.sd) + excess + square(far)), base.runs};
}

/// Rows that are left out of the same rows have the same families: of a software, without one of them.
class OutlookMemo {
 public:
  OutlookMemo(const ErrorModel& model, const SoftwareRows& software, LeftOut left_out)
      : model_(model), software_(software), left_out_(left_out) {}

  RowOutlook of(const ErrorRow& row) {
    std::string key = row.family.software;
    if (left_out_ != LeftOut::nothing) key += '\n' + text_of(row.family);
    if (left_out_ == LeftOut::group || left_out_ == LeftOut::row) key += '\n' + row.group;
    if (left_out_ == LeftOut::row) key += '\n' + std::to_string(reinterpret_cast<uintptr_t>(&row));
    const auto [at, fresh] = models_.try_emplace(key);
    if (fresh) at->second = without(row);
    return outlook_in(at->second, row);
  }

 private:
  ErrorModel without(const ErrorRow& row) const {
    std::vector<const ErrorRow*> known;
    for (const ErrorRow* other : software_.at(row.family.software))
      if (counts(*other, row, left_out_)) known.push_back(other);
    ErrorModel model = model_;
    model.families = families_of(known, &ErrorRow::shipped);
    model.settle();
    return model;
  }

  const ErrorModel& model_;
  const SoftwareRows& software_;
  LeftOut left_out_;
  std::map<std::string, ErrorModel> models_;
};

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

/// What is left of the scatter of families whose plans move, where moving them raises the score at all.
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

double log_density(const RowOutlook& o, double ratio) {
  const double scale = o.sd * kTenthPercentile / kTenthOfStudent;  // four fifths lie where they would of a normal one
  const double constant = std::lgamma((kFreedom + 1) / 2) - std::lgamma(kFreedom / 2) - std::log(kFreedom * M_PI) / 2;
  return constant - std::log(scale) - (kFreedom + 1) / 2 * std::log1p(square((ratio - o.mean) / scale) / kFreedom);
}

std::vector<RowOutlook> outlooks(const ErrorModel& model, const std::vector<ErrorRow>& rows, LeftOut left_out) {
  const SoftwareRows software = by_software(rows);
  OutlookMemo memo(model, software, left_out);
  std::vector<RowOutlook> out;
  for (const ErrorRow& row : rows) out.push_back(memo.of(row));
  return out;
}

double log_score(const ErrorModel& model, const std::vector<ErrorRow>& rows, LeftOut left_out) {
  const std::vector<RowOutlook> known = outlooks(model, rows, left_out);
  double sum = 0;
  for (size_t i = 0; i < rows.size(); ++i) sum += log_density(known[i], ratio_of(rows[i], left_out));
  return sum / static_cast<double>(rows.size());
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
