#include "planner/studies/errors/fit_changes.h"

#include <cmath>
#include <span>

#include "planner/plan/layout_traits.h"
#include "planner/plan/uncertainty.h"
#include "planner/studies/errors/climb.h"
#include "planner/studies/errors/error_rows.h"

namespace planner {
namespace {

constexpr double kSpread = 0.5;  // of a trait's deviation around the common one: standard deviation of its logarithm
constexpr double kLeast = 1e-3;

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
  for (size_t i = 1; i < at.size(); ++i) sum -= std::pow(std::log(at[i] / at[0]) / kSpread, 2) / 2;
  return sum;
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

}  // namespace planner
