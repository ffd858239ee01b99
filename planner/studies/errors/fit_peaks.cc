#include "planner/studies/errors/fit_peaks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "planner/plan/uncertainty.h"
#include "planner/studies/errors/climb.h"

namespace planner {
namespace {

constexpr double kLeast = 1e-3;  // of a standard deviation
constexpr double kCommon = 4;    // peaks that the spread of all counts for, beside a family's own

double square(double x) { return x * x; }

struct PeakGroup {
  double runs = 0, mean = 0, squares = 0;  // around the mean
};
using Groups = std::map<std::string, PeakGroup>;

Groups groups_of(const std::vector<const PeakRow*>& rows) {
  Groups out;
  for (const PeakRow* row : rows) {
    PeakGroup& g = out[row->group];
    const double before = row->ratio - g.mean;
    g.mean += before / ++g.runs;
    g.squares += before * (row->ratio - g.mean);
  }
  return out;
}

/// Families of one lineage on one platform. A substitute profile belongs to no lineage.
using Lineage = std::vector<Groups>;

std::vector<Lineage> lineages_in(const std::vector<PeakRow>& rows) {
  using Key = std::pair<std::string, hw_profiles::Platform>;
  std::map<Key, std::map<std::string, std::vector<const PeakRow*>>> members;
  for (const PeakRow& row : rows)
    members[{row.stands_in ? row.software : row.lineage, row.platform}][row.software].push_back(&row);
  std::vector<Lineage> out;
  for (const auto& [key, families] : members) {
    Lineage& lineage = out.emplace_back();
    for (const auto& [software, of_family] : families) lineage.push_back(groups_of(of_family));
  }
  return out;
}

/// Normal values around one mean: their mean, its precision, and twice their log density beside it.
struct Around {
  double precision = 0, mean = 0, twice = 0;

  void add(double value, double variance) {
    const double weight = 1 / variance, all = precision + weight, off = value - mean;
    if (precision > 0) twice -= precision * weight / all * off * off + std::log(1 / precision + variance);
    mean += weight / all * off;
    precision = all;
  }
};

/// Log likelihood of all rows; a constant is left out.
double likelihood(const std::vector<Lineage>& lineages, double between, const PeakSpreads& s) {
  Around all;
  for (const Lineage& families : lineages) {
    Around lineage;
    for (const Groups& groups : families) {
      Around family;
      for (const auto& [name, g] : groups) {
        family.add(g.mean, square(s.group) + square(s.run) / g.runs);
        all.twice -= 2 * (g.runs - 1) * std::log(s.run) + g.squares / square(s.run);
      }
      lineage.add(family.mean, square(s.heirs) + 1 / family.precision);
      all.twice += family.twice;
    }
    const double variance = square(between) + 1 / lineage.precision;
    all.twice += lineage.twice - std::log(variance) - square(lineage.mean) / variance;
  }
  return all.twice / 2;
}

}  // namespace

std::vector<PeakFamily> peak_families(const std::vector<const PeakRow*>& rows, const PeakSpreads& spreads,
                                      bool of_relatives) {
  std::map<hw_profiles::Platform, std::vector<const PeakRow*>> members;
  for (const PeakRow* row : rows) members[row->platform].push_back(row);
  std::vector<PeakFamily> out;
  for (const auto& [platform, of_family] : members) {
    PeakFamily family{.platform = platform, .cached = std::ranges::all_of(of_family, &PeakRow::cached)};
    double squares = kCommon * square(spreads.run), counted = kCommon;
    for (const auto& [name, g] : groups_of(of_family)) {
      family.runs.push_back(static_cast<int64_t>(g.runs));
      family.means.push_back(g.mean);
      squares += g.squares, counted += g.runs - 1;
    }
    // Theirs from the lineage's mean, and that of the next one.
    family.run = std::sqrt(squares / counted + (of_relatives ? 2 * square(spreads.heirs) : 0));
    out.push_back(std::move(family));
  }
  return out;
}

PeakSpreads fit_peaks(const std::vector<PeakRow>& rows) {
  const std::vector<Lineage> lineages = lineages_in(rows);
  const auto spreads = [](const std::vector<double>& s) {
    return PeakSpreads{.family = std::hypot(s[0], s[1]), .heirs = s[1], .group = s[2], .run = s[3]};
  };
  return spreads(climbed({0.1, 0.1, 0.1, 0.1}, kLeast, 1e-4,
                         [&](const std::vector<double>& s) { return likelihood(lineages, s[0], spreads(s)); }));
}

PeakScore peak_score(const std::vector<PeakRow>& rows, const PeakSpreads& spreads) {
  PeakScore out{.rows = static_cast<int64_t>(rows.size())};
  const double sd = std::hypot(spreads.family, spreads.group, spreads.run);
  const double share = 1 / static_cast<double>(rows.size());
  std::set<std::pair<std::string, hw_profiles::Platform>> families;
  for (const PeakRow& row : rows) {
    families.insert({row.software, row.platform});
    const double error = std::exp(-row.ratio) - 1;
    out.mean += share * std::fabs(error);
    out.bias += share * error;
    out.inside_80 += std::fabs(row.ratio) <= kTenthPercentile * sd ? share : 0;
  }
  out.families = static_cast<int64_t>(families.size());
  return out;
}

}  // namespace planner
