#include <algorithm>

#include "cli/pages/search_report.h"

namespace cli {
namespace {

using planner::Found;

AlikePlans united(const std::vector<Found>& rows, size_t first, size_t count) {
  AlikePlans plans{first, count, {}};
  plans.choices.resize(rows[first].choices.size());
  for (size_t row = first; row < first + count; ++row)
    for (size_t i = 0; i < plans.choices.size(); ++i) {
      std::vector<dsl::Value>& seen = plans.choices[i];
      const dsl::Value& value = rows[row].choices[i];
      if (std::find(seen.begin(), seen.end(), value) == seen.end()) seen.push_back(value);
    }
  return plans;
}

/// Candidates of a search differ from each other: as many as there are combinations are all of them.
bool has_every_combination(const AlikePlans& plans) {
  size_t combinations = 1;
  for (const auto& values : plans.choices) combinations *= values.size();
  return combinations == plans.count;
}

}  // namespace

std::vector<AlikePlans> alike_plans(const std::vector<Found>& rows,
                                    const std::function<bool(const Found&, const Found&)>& alike) {
  std::vector<AlikePlans> out;
  for (size_t first = 0; first < rows.size(); first += out.back().count) {
    size_t count = 1;
    while (first + count < rows.size() && alike(rows[first], rows[first + count])) ++count;
    AlikePlans plans = united(rows, first, count);
    while (!has_every_combination(plans)) plans = united(rows, first, --count);
    out.push_back(std::move(plans));
  }
  return out;
}

}  // namespace cli
