#include "planner/studies/errors/error_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace planner {
namespace {

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
