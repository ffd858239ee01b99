#include "planner/studies/errors/error_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

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

struct ScoredOutlook {
  const ErrorRow* row;
  RowOutlook outlook;
  double ratio;

  double error() const { return std::exp(outlook.mean - ratio) - 1; }
  double deviation() const { return std::fabs(ratio - outlook.mean) / outlook.sd; }
};

// Standard deviations that hold 50 and 95 % of the runs, where 1.2816 hold 80 %: of Student's distribution of four
// degrees of freedom.
constexpr double kHalf = 0.740697 * kTenthPercentile / 1.533206, kMost = 2.776445 * kTenthPercentile / 1.533206;

/// The upper one of two in the middle.
double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

ErrorScore score_of(std::string name, const std::vector<const ScoredOutlook*>& rows) {
  ErrorScore out{.name = std::move(name), .rows = static_cast<int64_t>(rows.size())};
  std::vector<double> sizes, widths;
  const double share = 1 / static_cast<double>(rows.size());
  for (const ScoredOutlook* r : rows) {
    sizes.push_back(std::fabs(r->error()));
    widths.push_back(std::sinh(kTenthPercentile * r->outlook.sd));
    out.mean += share * sizes.back();
    out.bias += share * r->error();
    out.inside_50 += r->deviation() <= kHalf ? share : 0;
    out.inside_80 += r->deviation() <= kTenthPercentile ? share : 0;
    out.inside_95 += r->deviation() <= kMost ? share : 0;
    out.log_score += share * log_density(r->outlook, r->ratio);
  }
  out.median = median(std::move(sizes));
  out.half_width = median(std::move(widths));
  return out;
}

std::vector<ScoredOutlook> scored(const ErrorModel& model, const std::vector<ErrorRow>& rows, LeftOut left_out) {
  const std::vector<RowOutlook> known = outlooks(model, rows, left_out);
  std::vector<ScoredOutlook> out;
  for (size_t i = 0; i < rows.size(); ++i) out.push_back({&rows[i], known[i], ratio_of(rows[i], left_out)});
  return out;
}

using NameOf = std::function<std::string(const ScoredOutlook&)>;

void add_by(const std::vector<ScoredOutlook>& rows, const NameOf& name_of, std::vector<ErrorScore>& out) {
  std::vector<std::pair<std::string, std::vector<const ScoredOutlook*>>> classes;
  for (const ScoredOutlook& r : rows) {
    const std::string name = name_of(r);
    const auto at = std::ranges::find(classes, name, &decltype(classes)::value_type::first);
    (at != classes.end() ? *at : classes.emplace_back(name, std::vector<const ScoredOutlook*>{})).second.push_back(&r);
  }
  std::ranges::sort(classes, {}, &decltype(classes)::value_type::first);
  for (auto& [name, members] : classes) out.push_back(score_of(std::move(name), members));
}

std::string runs_of(const ScoredOutlook& r) {
  const int64_t runs = r.outlook.runs;
  return runs == 0 ? "compared with 0 runs" : runs < 5 ? "compared with 1 to 4" : "compared with 5 and more";
}

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

std::vector<ErrorScore> error_scores(const ErrorModel& model, const std::vector<ErrorRow>& rows, LeftOut left_out) {
  const std::vector<ScoredOutlook> all = scored(model, rows, left_out);
  const NameOf classes[] = {
      [](const ScoredOutlook&) { return std::string("all"); },
      [](const ScoredOutlook& r) { return std::string(kJobKinds[static_cast<size_t>(r.row->family.kind)]); },
      [](const ScoredOutlook& r) { return r.row->family.generation; },
      [](const ScoredOutlook& r) { return fmt::format("{}-bit", r.row->family.width); }, runs_of};
  std::vector<ErrorScore> out;
  for (const NameOf& name_of : classes) add_by(all, name_of, out);
  return out;
}

namespace {

constexpr double kSmall = 8, kLarge = 64;  // GPUs
constexpr std::array<size_t, 4> kOwnRuns{0, 1, 2, 4};

/// Runs of one group at its smallest scale, and its large ones.
struct Scales {
  std::vector<const ErrorRow*> small, large;
};

std::vector<Scales> scales_of(const std::vector<ErrorRow>& rows) {
  std::map<std::pair<FamilyKey, std::string>, std::vector<const ErrorRow*>> groups;
  for (const ErrorRow& row : rows) groups[{row.family, row.group}].push_back(&row);
  std::vector<Scales> out;
  for (const auto& [key, members] : groups) {
    double least = members.front()->size.gpus;
    for (const ErrorRow* row : members) least = std::min(least, row->size.gpus);
    Scales scales;
    for (const ErrorRow* row : members) {
      if (row->size.gpus <= std::max(kSmall, least)) scales.small.push_back(row);
      else if (row->size.gpus >= kLarge) scales.large.push_back(row);
    }
    if (!scales.small.empty() && !scales.large.empty()) out.push_back(std::move(scales));
  }
  return out;
}

/// `count` of the small runs, evenly spaced.
OwnRuns own_of(const Scales& scales, size_t count) {
  const ErrorRow& first = *scales.small.front();
  OwnRuns own{.generation = first.family.generation, .kind = first.family.kind, .width = first.family.width};
  for (size_t i = 0; i < count; ++i) {
    const ErrorRow& row = *scales.small[(2 * i + 1) * scales.small.size() / (2 * count)];
    own.mean = (own.mean * static_cast<double>(own.runs) + row.left_out) / static_cast<double>(own.runs + 1);
    ++own.runs;
    widen(own, row.size);
  }
  return own;
}

RowOutlook outlook_beside_own(const ErrorModel& model, const ErrorRow& row, const OwnRuns& own) {
  const double scatter = model.scatter_of(row.family.generation, row.family.kind, row.family.width);
  const KnownMean unseen = model.mean_of_unseen(scatter);
  const ErrorOutlook known =
      own.runs > 0 ? outlook_beside(model, unseen, scatter, own) : outlook_of(model, unseen, scatter, 0);
  const double far = own.runs > 0 ? model.distance * distance(row.size, own) : 0;
  return {known.mean, std::hypot(known.sd, far), own.runs};
}

}  // namespace

std::vector<OwnScore> own_scores(const ErrorModel& model, const std::vector<ErrorRow>& rows) {
  ErrorModel alone = model;
  alone.families.clear();
  alone.settle();
  std::vector<OwnScore> out;
  for (const size_t count : kOwnRuns) {
    std::vector<ScoredOutlook> all;
    int64_t groups = 0;
    for (const Scales& scales : scales_of(rows)) {
      if (scales.small.size() < count) continue;
      ++groups;
      const OwnRuns own = own_of(scales, count);
      for (const ErrorRow* row : scales.large)
        all.push_back({row, outlook_beside_own(alone, *row, own), row->left_out});
    }
    std::vector<const ScoredOutlook*> members;
    for (const ScoredOutlook& each : all) members.push_back(&each);
    if (!members.empty()) out.push_back({score_of(std::to_string(count), members), count, groups});
  }
  return out;
}

std::vector<ErrorScore> family_scores(const ErrorModel& model, const std::vector<ErrorRow>& rows, LeftOut left_out) {
  std::vector<ErrorScore> out;
  add_by(
      scored(model, rows, left_out), [](const ScoredOutlook& r) { return text_of(r.row->family); }, out);
  return out;
}

}  // namespace planner
