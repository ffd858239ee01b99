// What a study's figures come to with other values of what its scenario assumes.
#include <algorithm>

#include "planner/studies/published/study.h"

namespace planner {
namespace {

/// Takes in what the rows come to with another assumption.
void add_assumed(const std::vector<StudyRow>& others, const std::string& name, std::vector<StudyRow>& rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    Interval& range = rows[i].assumed ? *rows[i].assumed : rows[i].assumed.emplace(Interval{rows[i].low, rows[i].high});
    range = {std::min(range.low, others[i].low), std::max(range.high, others[i].high)};
    if (others[i].holds != rows[i].holds) rows[i].turned_by.push_back(name);
  }
}

}  // namespace

std::optional<std::vector<StudyRow>> run_study(const Study& study, const dsl::Source& source,
                                               const std::vector<dsl::Override>& overrides, const dsl::Catalog& catalog,
                                               dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
  auto rows = run_cases(study, source, overrides, catalog, sources, diagnostics);
  for (const AssumedValues& other : study.assumed) {
    if (!rows) return std::nullopt;
    std::vector<dsl::Override> sets;
    for (const dsl::Entry& e : other.set) sets.push_back({e.key, e.key_span, &e.value});
    sets.insert(sets.end(), overrides.begin(), overrides.end());
    const auto others = run_cases(study, source, sets, catalog, sources, diagnostics);
    if (!others) return std::nullopt;
    add_assumed(*others, other.name, *rows);
  }
  return rows;
}

}  // namespace planner
