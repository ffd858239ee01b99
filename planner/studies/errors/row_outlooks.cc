#include "planner/studies/errors/row_outlooks.h"

#include <algorithm>
#include <cmath>

#include "planner/plan/uncertainty.h"

namespace planner {
namespace {

// A few runs are far from whatever anybody predicts: a source counts otherwise, or leaves out what it did. Student's
// distribution of four degrees of freedom lets them be, where a normal one would widen every interval.
constexpr double kFreedom = 4;
constexpr double kTenthOfStudent = 1.5332062737131438;  // its 90th percentile

double square(double x) { return x * x; }

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

}  // namespace

SoftwareRows by_software(const std::vector<ErrorRow>& rows) {
  SoftwareRows out;
  for (const ErrorRow& row : rows) out[row.family.software].push_back(&row);
  return out;
}

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

}  // namespace planner
