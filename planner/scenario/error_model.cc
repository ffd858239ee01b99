#include "planner/scenario/error_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace planner {
namespace {

constexpr KnownMean kNothing{0, std::numeric_limits<double>::infinity()};

constexpr double kSignificant = 2;  // standard errors

double square(double x) { return x * x; }

double doubted(const ErrorModel& m, int64_t runs) { return 1 + m.doubt / (1 + static_cast<double>(runs)); }

double doublings_outside(const ShownRange& shown, double value) {
  if (shown.most <= 0 || value <= 0) return 0;
  return std::max({0.0, std::log2(value / shown.most), std::log2(shown.least / value)});
}

}  // namespace

template <class Shown> double distance(const RunSize& run, const Shown& shown) {
  const double across = std::hypot(doublings_outside(shown.gpus, run.gpus), doublings_outside(shown.tp, run.tp));
  return std::hypot(across, doublings_outside(shown.microbatch, run.microbatch),
                    doublings_outside(shown.step_seconds, run.step_seconds));
}
template double distance(const RunSize&, const ErrorFamily&);
template double distance(const RunSize&, const OwnRuns&);

template <class Shown> void widen(Shown& shown, const RunSize& run) {
  const auto take = [](ShownRange& range, double value) {
    range.least = range.most > 0 ? std::min(range.least, value) : value;
    range.most = std::max(range.most, value);
  };
  take(shown.gpus, run.gpus), take(shown.microbatch, run.microbatch);
  take(shown.tp, run.tp), take(shown.step_seconds, run.step_seconds);
}
template void widen(ErrorFamily&, const RunSize&);
template void widen(OwnRuns&, const RunSize&);

int64_t ErrorFamily::all_runs() const { return std::accumulate(runs.begin(), runs.end(), int64_t{0}); }

KnownMean together(const KnownMean& a, const KnownMean& b) {
  if (std::isinf(a.variance)) return b;
  if (std::isinf(b.variance)) return a;
  if (a.variance + b.variance <= 0) return {(a.mean + b.mean) / 2, 0};
  const double weight = b.variance / (a.variance + b.variance);
  return {weight * a.mean + (1 - weight) * b.mean, weight * a.variance};
}

// Updates the mean's distribution with groups: each has the variance `between`, and `run` over its number of runs.
static KnownMean with_groups(KnownMean known, const std::vector<int64_t>& runs, const std::vector<double>& means,
                             double between, double run, size_t skip = SIZE_MAX) {
  for (size_t g = 0; g < std::min(runs.size(), means.size()); ++g)
    if (g != skip && runs[g] > 0) known = together(known, {means[g], between + run / static_cast<double>(runs[g])});
  return known;
}

KnownMean mean_of_groups(const ErrorModel& m, const ErrorFamily& f, size_t skip) {
  return with_groups(kNothing, f.runs, f.means, square(f.scatter * m.group), square(f.scatter * m.run), skip);
}

KnownMean mean_of_software(const ErrorModel& m, size_t skip) {
  KnownMean known{m.mean, square(m.software)};
  for (size_t i = 0; i < m.families.size(); ++i) {
    if (i == skip) continue;
    KnownMean family = mean_of_groups(m, m.families[i]);
    family.variance += square(m.family * m.families[i].scatter);
    known = together(known, family);
  }
  return known;
}

ErrorOutlook outlook_of(const ErrorModel& m, const KnownMean& family, double scatter, int64_t runs) {
  const double variance = family.variance + square(scatter) * (square(m.group) + square(m.run));
  return {0, doubted(m, runs) * std::sqrt(variance + square(family.mean)), runs};
}

double ErrorModel::scatter_of(const std::string& generation, JobKind kind, int64_t width) const {
  double factor = 1;
  for (const KindScatter& s : kinds) factor *= s.kind == kind ? s.factor : 1;
  for (const WidthScatter& s : widths) factor *= s.width == width ? s.factor : 1;
  for (const GenerationScatter& s : generations) factor *= s.generation == generation ? s.factor : 1;
  return factor;
}

// Before its runs are seen, a family is as well known as its operators are.
static double unknown_operators(const ErrorModel& m, const ErrorFamily& f) {
  return square(m.operators) * std::max(0.0, square(f.operators) - square(m.known_operators));
}

// The variance between a family's groups: that of all families, or its own where it is larger. Programs without a
// profile of their own share one: their groups are different programs, and differ as families do.
static double between_groups(const ErrorModel& m, const ErrorFamily& f) {
  const double all = square(m.memory.stands_in ? m.strays.family : m.strays.group);
  if (f.means.size() < 2) return all;
  const double mean = std::accumulate(f.means.begin(), f.means.end(), 0.0) / static_cast<double>(f.means.size());
  double own = 0;
  for (const double of_group : f.means) own += square(of_group - mean) / static_cast<double>(f.means.size() - 1);
  return std::max(all, own);
}

// By its own groups alone: one family that strays would else move the others of its software.
static double moved_by(const ErrorModel& m, const ErrorFamily& f) {
  const KnownMean known =
      with_groups({0, square(m.strays.family)}, f.runs, f.means, between_groups(m, f), square(f.scatter * m.run));
  return std::fabs(known.mean) > kSignificant * std::sqrt(known.variance) ? known.mean : 0;
}

static ErrorOutlook outlook_of(const ErrorModel& m, const ErrorFamily& f) {
  const double moved = moved_by(m, f);
  if (moved == 0) return outlook_of(m, f.known, f.scatter, f.all_runs());
  ErrorOutlook outlook = outlook_of(m, {m.strays.scatter * moved, f.known.variance}, f.scatter, f.all_runs());
  outlook.mean = moved;
  return outlook;
}

PeakFamily PeakErrors::known(PeakFamily f) const {
  const double between = square(stands_in ? family : group);
  const KnownMean mean = with_groups({0, square(family)}, f.runs, f.means, between, square(run));
  // The cached share is anywhere between none and all: a uniform variable has a variance of a twelfth of its square.
  const double cached = f.cached ? std::max(0.0, mean.mean) : 0;
  f.mean = mean.mean - cached / 2;
  f.sd = std::sqrt(mean.variance + between + square(f.run) + square(cached) / 12);
  return f;
}

void PeakErrors::settle() {
  for (PeakFamily& f : families) f = known(std::move(f));
}

void ErrorModel::settle() {
  memory.settle();
  for (ErrorFamily& f : families) f.scatter = scatter_of(f.generation, f.kind, f.width);
  unseen = mean_of_software(*this), moves = false;
  for (size_t i = 0; i < families.size(); ++i) {
    ErrorFamily& f = families[i];
    KnownMean others = mean_of_software(*this, i);
    others.variance += square(family * f.scatter) + unknown_operators(*this, f);
    f.known = together(others, mean_of_groups(*this, f));
    f.outlook = outlook_of(*this, f);
    moves = moves || f.outlook.mean != 0;
  }
}

KnownMean ErrorModel::mean_of_unseen(double factor) const {
  return {unseen.mean, unseen.variance + square(family * factor)};
}

ErrorOutlook outlook_beside(const ErrorModel& m, const KnownMean& family, double scatter, const OwnRuns& own) {
  const KnownMean before{family.mean, family.variance + square(m.machine * scatter)};
  const KnownMean mean = together(before, {own.mean, square(m.run * scatter) / static_cast<double>(own.runs)});
  return {mean.mean, doubted(m, own.runs) * std::sqrt(mean.variance + square(m.run * scatter)), own.runs};
}

}  // namespace planner
