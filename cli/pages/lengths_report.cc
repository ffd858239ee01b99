#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/pages/plan_report.h"
#include "cli/report/row_fields.h"

namespace cli {
namespace {

std::string percent(double share) { return fmt::format("{:.2g} %", 100 * share); }

/// The lengths that represent a run of several lengths, and their accuracy where they were found.
Data sequence(const planner::Lengths& l) {
  const RowFields<planner::LengthShare> points{{"length", &planner::LengthShare::length},
                                               {"weight", whole_of(&planner::LengthShare::weight)}};
  const bool found = l.steps > 0;
  return Data::Object{{"points", points.list(l.shares)},
                      {"unique_lengths", found ? Data(l.distinct) : Data()},
                      {"iterations", found ? Data(l.steps) : Data()},
                      {"left_over_sequences", found ? Data(l.left_over) : Data()},
                      {"error", found ? Data(l.error) : Data()},
                      {"padding", found ? Data(l.padding) : Data()}};
}

}  // namespace

std::string lengths_line(const planner::Lengths& l) {
  const auto points = std::count_if(l.shares.begin(), l.shares.end(), [](const auto& s) { return s.weight > 0; });
  const auto many = [](int64_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); };
  if (l.steps == 0) return many(points, "point") + ", weighted";
  std::string line = fmt::format("{} for {} in {} (off by {})", many(points, "SeqPoint"), many(l.distinct, "length"),
                                 many(l.steps, "step"), percent(std::abs(l.error)));
  if (l.padding > 0) line += fmt::format(", {} of the tokens padding", percent(l.padding));
  if (l.left_over > 0) line += fmt::format(", {} left over", many(l.left_over, "sequence"));
  return line;
}

void add_lengths(const planner::Lengths& lengths, Data::Object& document) {
  if (!lengths.shares.empty()) document.push_back({"sequence", sequence(lengths)});
}

}  // namespace cli
