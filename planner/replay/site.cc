#include "planner/replay/site.h"

#include <algorithm>

namespace planner::replay {
namespace {

/// The largest number of members that share a domain of a tier. Given hosts apply to the tiers inside a node.
int64_t most_in_domain(const std::vector<int64_t>& members, const hw_profiles::Tier& tier, const Site& site) {
  const bool in_node = tier.size > 0 && tier.size <= site.machine->gpus_per_node;
  std::map<std::pair<bool, int64_t>, int64_t> domains;  // of a host that is given, or not
  int64_t most = 0;
  for (const int64_t rank : members) {
    const auto host = site.hosts.find(rank);
    const bool said = in_node && host != site.hosts.end();
    const int64_t number = said ? static_cast<int64_t>(host->second) : tier.size > 0 ? rank / tier.size : 0;
    most = std::max(most, ++domains[{said, number}]);
  }
  return most;
}

}  // namespace

operator_models::Device device_of(const operator_models::Machine& machine) {
  operator_models::Device device;
  device.gpu = &machine.gpu;
  device.network = &machine.network;
  device.calibration = &machine.calibration;
  device.host = &machine.host;
  device.gpus_per_host = machine.gpus_per_node;
  return device;
}

operator_models::Group group_of(int64_t ranks, const std::vector<int64_t>& members, const Site& site) {
  operator_models::Group group{.ranks = ranks};
  if (static_cast<int64_t>(members.size()) != ranks) return group;
  for (const hw_profiles::Tier& tier : site.machine->network)
    group.inside.push_back(most_in_domain(members, tier, site));
  return group;
}

}  // namespace planner::replay
