#include "planner/studies/errors/layout_slopes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "planner/plan/layout_traits.h"

namespace planner {
namespace {

using Column = std::vector<double>;
constexpr double kAlone = 1e-6;  // of a column's length, that no others explain

double product(const Column& a, const Column& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }
double length(const Column& a) { return std::sqrt(product(a, a)); }

/// Layouts of jobs that have several, each less the mean of its job.
struct InsideJobs {
  std::vector<Column> levels{layout_traits().size()};
  std::vector<int64_t> varied = std::vector<int64_t>(layout_traits().size());  // in how many jobs
  Column ratios;                                                               // ln(planned / measured)
  double means = 0;                                                            // that were taken
};

/// Appends values less their mean; returns whether they differ.
bool append(Column& to, Column values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  for (double& v : values) v -= mean;
  to.insert(to.end(), values.begin(), values.end());
  return length(values) > kAlone;
}

InsideJobs inside_jobs(const std::vector<ErrorRow>& rows) {
  InsideJobs out;
  for (const auto& job : layouts_of_jobs(rows)) {
    const auto& layouts = job.second;
    if (layouts.size() < 2) continue;
    const auto each = [&layouts](const auto& of) {
      Column values;
      for (const MeasuredLayout& l : layouts) values.push_back(of(l));
      return values;
    };
    append(out.ratios, each([](const MeasuredLayout& l) { return -l.ratio; }));
    for (size_t t = 0; t < out.levels.size(); ++t)
      out.varied[t] +=
          append(out.levels[t], each([&](const MeasuredLayout& l) { return layout_traits()[t].level(*l.layout); }));
    ++out.means;
  }
  return out;
}

/// What a column has that the unit columns before it do not explain; twice, against rounding.
Column unexplained(Column column, const std::vector<Column>& units) {
  for (int turn = 0; turn < 2; ++turn)
    for (const Column& unit : units) {
      const double share = product(column, unit);
      for (size_t i = 0; i < column.size(); ++i) column[i] -= share * unit[i];
    }
  return column;
}

/// Unit columns at right angles that say all that the columns do; `without`: one that does not count.
std::vector<Column> units_of(const std::vector<Column>& columns, size_t without) {
  std::vector<Column> units;
  for (size_t c = 0; c < columns.size(); ++c) {
    if (c == without) continue;
    Column left = unexplained(columns[c], units);
    const double size = length(left);
    if (size <= kAlone * length(columns[c])) continue;
    for (double& v : left) v /= size;
    units.push_back(std::move(left));
  }
  return units;
}

}  // namespace

// Frisch and Waugh 1933: the slope of a variable among others equals that between two residuals.
std::vector<LayoutSlope> layout_slopes(const std::vector<ErrorRow>& rows) {
  const InsideJobs inside = inside_jobs(rows);
  const std::vector<Column> all = units_of(inside.levels, inside.levels.size());
  const double noise = length(unexplained(inside.ratios, all));
  const double free = static_cast<double>(inside.ratios.size()) - inside.means - static_cast<double>(all.size());
  std::vector<LayoutSlope> out;
  for (size_t t = 0; t < inside.levels.size(); ++t) {
    const Column alone = unexplained(inside.levels[t], units_of(inside.levels, t));
    const double size = length(alone);
    if (inside.varied[t] == 0 || size <= kAlone * length(inside.levels[t])) continue;
    out.push_back({.trait = layout_traits()[t].name,
                   .jobs = inside.varied[t],
                   .slope = product(alone, inside.ratios) / (size * size),
                   .error = noise / std::sqrt(std::max(1.0, free)) / size});
  }
  return out;
}

}  // namespace planner
