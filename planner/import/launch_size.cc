#include "planner/import/launch_size.h"

#include <algorithm>
#include <span>
#include <sstream>

namespace planner {
namespace {

constexpr const char *kAll = "--num_processes", *kEach[] = {"--num_gpus", "--nproc_per_node", "--nproc-per-node"},
                     *kNodes[] = {"--num_nodes", "--nnodes"};

const char* given(const megatron::Flags& flags, std::span<const char* const> names) {
  const auto name = std::ranges::find_if(names, [&](const char* one) { return flags.has(one); });
  return name == names.end() ? nullptr : *name;
}

}  // namespace

const char* flag_of_processes(const megatron::Flags& flags) {
  if (flags.has(kAll)) return kAll;
  if (included_gpus(flags) > 0) return "--include";
  const char* each = given(flags, kEach);
  return each ? each : kAll;
}

const char* flag_of_nodes(const megatron::Flags& flags) {
  const char* nodes = given(flags, kNodes);
  return nodes ? nodes : kNodes[1];
}

int64_t included_gpus(const megatron::Flags& flags) {
  int64_t count = 0;
  std::istringstream hosts(flags.text("--include"));
  for (std::string host; std::getline(hosts, host, '@');) {
    const size_t colon = host.find(':');
    if (colon == std::string::npos) return 0;  // all of a host
    count += 1 + std::count(host.begin() + static_cast<std::ptrdiff_t>(colon), host.end(), ',');
  }
  return count;
}

int64_t processes(megatron::Flags& flags) {
  if (const int64_t listed = included_gpus(flags)) return listed;
  const char *each = given(flags, kEach), *nodes = given(flags, kNodes);
  for (const char* flag : {kAll, each, nodes})
    if (flag && flags.text(flag).starts_with('$')) return 0;
  const auto count = [&](const char* flag, int64_t otherwise) {
    return flag ? std::min(flags.count(flag, otherwise), kMostRanks) : otherwise;
  };
  if (flags.has(kAll)) return count(kAll, 0);
  return each ? count(each, 0) * count(nodes, 1) : 0;
}

}  // namespace planner
