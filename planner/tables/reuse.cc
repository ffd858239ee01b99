#include "planner/tables/reuse.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace planner::tables {

ReuseRange uses_of(size_t bin) {
  if (bin == 0) return {0, 0};
  const double least = std::ldexp(1.0, static_cast<int>(bin) - 1);
  return {least, bin + 1 == kReuseBins ? std::numeric_limits<double>::infinity() : 2 * least - 1};
}

double Accesses::distinct() const {
  double sum = 0;
  for (const RowGroup& group : groups) sum += group.rows;
  return sum;
}

double Accesses::lookups() const {
  double sum = 0;
  for (const RowGroup& group : groups) sum += group.lookups;
  return sum;
}

ReuseRange lookups_held(const ReuseFactors& factors, double rows) {
  ReuseRange held;
  for (size_t bin = 1; bin < kReuseBins; ++bin) {
    if (!(factors[bin] > 0)) continue;
    held.least += rows * factors[bin] * uses_of(bin).least;
    held.most += rows * factors[bin] * uses_of(bin).most;
  }
  return held;
}

Accesses accesses_of(const ReuseFactors& factors, double rows, double lookups) {
  // The open bin gets the width that its neighbours' rule implies, and takes the rest.
  const auto most = [](size_t bin) { return 2 * uses_of(bin).least - 1; };
  double least_sum = 0, most_sum = 0;
  for (size_t bin = 1; bin < kReuseBins; ++bin) {
    least_sum += rows * factors[bin] * uses_of(bin).least;
    most_sum += rows * factors[bin] * most(bin);
  }
  const double open_rows = rows * factors[kReuseBins - 1], beyond = open_rows > 0 ? lookups - most_sum : 0;
  const double range = most_sum - least_sum;
  const double place = range > 0 ? std::clamp((lookups - least_sum) / range, 0.0, 1.0) : 0;
  Accesses out;
  for (size_t bin = 1; bin < kReuseBins; ++bin) {
    if (!(factors[bin] > 0)) continue;
    const double uses = uses_of(bin).least + place * (most(bin) - uses_of(bin).least);
    const double more = bin + 1 == kReuseBins ? std::max(0.0, beyond) : 0;
    out.groups.push_back({rows * factors[bin], rows * factors[bin] * uses + more});
  }
  const double sum = out.lookups();
  if (sum > 0)
    for (RowGroup& group : out.groups) group.lookups *= lookups / sum;
  for (RowGroup& group : out.groups) group.rows = std::min(group.rows, group.lookups);
  return out;
}

Accesses even_accesses(double rows, double lookups) {
  if (!(rows > 0 && lookups > 0)) return {};
  // log1p and expm1 keep the digits of tables much larger than the batch.
  const double used = rows > 1 ? -rows * std::expm1(lookups * std::log1p(-1 / rows)) : 1;
  return {{{std::min(used, lookups), lookups}}};
}

Accesses part_of(const Accesses& whole, double part) {
  if (part >= 1) return whole;
  Accesses out;
  for (const RowGroup& group : whole.groups) {
    const double uses = group.rows > 0 ? group.lookups / group.rows : 0, lookups = part * group.lookups;
    const double seen = -group.rows * std::expm1(uses * std::log1p(-part));
    out.groups.push_back({std::min(seen, lookups), lookups});
  }
  return out;
}

}  // namespace planner::tables
