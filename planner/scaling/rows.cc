#include <algorithm>
#include <map>

#include "planner/scaling/fit_multi.h"
#include "planner/scaling/quality.h"

namespace planner::scaling {
namespace {

using Points = std::span<const std::vector<double>>;
using Coordinates = std::vector<double>;

Coordinates others(const Coordinates& point, size_t parameter) {
  Coordinates rest = point;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(parameter));
  return rest;
}

/// Points that share all other coordinates, of the rows that have the most points, in the order of the points.
std::vector<std::vector<size_t>> longest_rows(Points points, size_t parameter) {
  std::map<Coordinates, size_t> index;
  std::vector<std::vector<size_t>> rows;
  for (size_t i = 0; i < points.size(); ++i) {
    const auto [at, added] = index.try_emplace(others(points[i], parameter), rows.size());
    if (added) rows.emplace_back();
    rows[at->second].push_back(i);
  }
  size_t longest = 0;
  for (const auto& row : rows) longest = std::max(longest, row.size());
  std::erase_if(rows, [&](const auto& row) { return row.size() < longest; });
  return rows;
}

/// The mean over the longest rows at each coordinate; of rows that have no point at the first coordinate nothing.
ParameterRow mean_row(Points points, std::span<const double> values, size_t parameter) {
  std::vector<double> coordinates;
  std::map<double, std::vector<size_t>> at;
  for (const auto& row : longest_rows(points, parameter))
    for (const size_t i : row) {
      std::vector<size_t>& same = at[points[i][parameter]];
      if (same.empty()) coordinates.push_back(points[i][parameter]);
      same.push_back(i);
    }
  std::vector<Coordinates> common;
  for (const size_t i : at[coordinates.front()]) common.push_back(others(points[i], parameter));
  ParameterRow mean;
  for (const double coordinate : coordinates) {
    std::vector<double> covered;
    for (const size_t i : at[coordinate])
      if (std::ranges::find(common, others(points[i], parameter)) != common.end()) covered.push_back(values[i]);
    if (covered.empty()) continue;
    mean.points.push_back(coordinate);
    mean.values.push_back(mean_of(covered));
  }
  return mean;
}

/// The row whose other coordinates are all at most those of the rows before it.
ParameterRow smallest_row(Points points, std::span<const double> values, size_t parameter) {
  ParameterRow row;
  Coordinates smallest;
  for (size_t i = 0; i < points.size(); ++i) {
    const Coordinates rest = others(points[i], parameter);
    if (!row.points.empty() && rest != smallest) {
      const bool lower = std::ranges::equal(rest, smallest, [](double a, double b) { return a <= b; });
      if (!lower) continue;
      row = {};
    }
    smallest = rest;
    row.points.push_back(points[i][parameter]);
    row.values.push_back(values[i]);
  }
  return row;
}

}  // namespace

std::vector<ParameterRow> rows_of(Points points, std::span<const double> values, const MultiOptions& options) {
  std::vector<ParameterRow> rows;
  for (size_t parameter = 0; parameter < points[0].size(); ++parameter)
    rows.push_back(options.smallest_row ? smallest_row(points, values, parameter)
                                        : mean_row(points, values, parameter));
  return rows;
}

}  // namespace planner::scaling
