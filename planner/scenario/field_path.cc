#include "planner/scenario/field_path.h"

#include <fmt/format.h>

#include <algorithm>

namespace planner {
namespace {

constexpr const char* kTiers = "cluster.network";

/// The tier that a role means: the innermost, or the first that reaches beyond a node; past the end: none.
size_t tier_of_role(const hw_profiles::Cluster& cluster, std::string_view role) {
  const auto& tiers = cluster.network;
  if (role == "intra_node") return 0;
  if (role != "inter_node") return tiers.size();
  const auto beyond = std::find_if(tiers.begin(), tiers.end(), [&](const auto& tier) {
    return tier.size == 0 || tier.size > cluster.gpus_per_node;
  });
  return static_cast<size_t>(beyond - tiers.begin());
}

}  // namespace

std::string indexed_path(const std::string& path, const dsl::Record& record, const hw_profiles::Cluster& cluster) {
  for (const auto& [list, size] : record.list_sizes) {
    if (!path.starts_with(list + ".")) continue;
    const size_t begin = list.size() + 1, end = path.find('.', begin);
    if (end == std::string::npos) continue;
    const std::string name = path.substr(begin, end - begin);
    for (size_t i = 0; i < size; ++i) {
      const std::string item = fmt::format("{}[{}]", list, i);
      const dsl::Slot* slot = record.find(item + ".name");
      const bool role = list == kTiers && tier_of_role(cluster, name) == i;
      if (role || (slot && dsl::to_text(slot->value) == name)) return item + path.substr(end);
    }
  }
  return path;
}

}  // namespace planner
