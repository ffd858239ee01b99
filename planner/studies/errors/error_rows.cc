#include "planner/studies/errors/error_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "planner/plan/layout_traits.h"

namespace planner {
namespace {

bool are_alike(const Parallelism& a, const Parallelism& b) {
  return std::ranges::all_of(layout_traits().subspan(1), [&](const LayoutTrait& t) { return t.apart(a, b) == 0; });
}

ErrorFamily family_of(const FamilyKey& key, const std::vector<const ErrorRow*>& rows, double ErrorRow::*ratio) {
  ErrorFamily family{.generation = key.generation, .kind = key.kind, .width = key.width};
  std::vector<std::pair<std::string, std::vector<double>>> groups;
  for (const ErrorRow* row : rows) {
    const auto at = std::ranges::find(groups, row->group, &decltype(groups)::value_type::first);
    (at != groups.end() ? *at : groups.emplace_back(row->group, std::vector<double>{})).second.push_back(row->*ratio);
    family.operators += row->operators / static_cast<double>(rows.size());
    widen(family, row->size);
  }
  for (const auto& [name, ratios] : groups) {
    double sum = 0;
    for (const double each : ratios) sum += each;
    family.runs.push_back(static_cast<int64_t>(ratios.size()));
    family.means.push_back(sum / static_cast<double>(ratios.size()));
  }
  return family;
}

}  // namespace

void MeasuredLayout::add(const ErrorRow& row) {
  const double share = 1 / ++runs, seconds = std::log(row.size.step_seconds);
  ratio += share * (row.shipped - ratio);
  planned += share * (seconds - planned);
  measured += share * (seconds + row.shipped - measured);
}

std::map<std::string, Layouts> layouts_of_jobs(const std::vector<ErrorRow>& rows) {
  std::map<std::string, Layouts> jobs;
  for (const ErrorRow& row : rows) {
    Layouts& layouts = jobs[row.job];
    auto at = std::ranges::find_if(layouts, [&](const auto& l) { return are_alike(*l.layout, row.layout); });
    if (at == layouts.end()) at = layouts.insert(at, {.layout = &row.layout});
    at->add(row);
  }
  return jobs;
}

std::string text_of(const FamilyKey& key) {
  return fmt::format("{} on {}, {}, {}-bit", key.software, key.generation, kJobKinds[static_cast<size_t>(key.kind)],
                     key.width);
}

std::vector<ErrorFamily> families_of(const std::vector<const ErrorRow*>& rows, double ErrorRow::*ratio) {
  std::map<FamilyKey, std::vector<const ErrorRow*>> members;
  for (const ErrorRow* row : rows) members[row->family].push_back(row);
  std::vector<ErrorFamily> out;
  for (const auto& [key, of_family] : members) out.push_back(family_of(key, of_family, ratio));
  return out;
}

}  // namespace planner
