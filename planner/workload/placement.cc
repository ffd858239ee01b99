#include "planner/workload/placement.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace planner {
namespace {

constexpr std::array<std::string_view, 5> kDimensionNames{"tp", "cp", "ep", "dp", "pp"};

// Expert-parallel ranks are data-parallel ranks: ep takes no ranks of its own.
int64_t degree(const Scenario& s, Dimension d) {
  switch (d) {
    case Dimension::tp:
      return s.parallelism.tp;
    case Dimension::cp:
      return s.parallelism.cp;
    case Dimension::ep:
      return 1;
    case Dimension::dp:
      return s.parallelism.dp;
    case Dimension::pp:
      return s.parallelism.pp;
  }
  return 1;
}

}  // namespace

Order parse_order(std::string_view text) {
  Order order;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('-', begin), text.size());
    const auto* found = std::find(kDimensionNames.begin(), kDimensionNames.end(), text.substr(begin, end - begin));
    if (found == kDimensionNames.end()) return {};
    const auto d = static_cast<Dimension>(found - kDimensionNames.begin());
    if (std::find(order.begin(), order.end(), d) != order.end()) return {};
    order.dimensions[order.count++] = d;
    begin = end + 1;
  }
  return order.size() == kDimensionNames.size() ? order : Order{};
}

namespace {

int64_t stride_by(const Scenario& s, Dimension wanted, int64_t (*size)(const Scenario&, Dimension)) {
  int64_t stride = 1;
  for (Dimension d : parse_order(s.parallelism.order)) {
    if (d == wanted) break;
    stride *= size(s, d);
  }
  return stride;
}

}  // namespace

int64_t stride_of(const Scenario& s, Dimension wanted) { return stride_by(s, wanted, degree); }

namespace {

// Ranks between neighbours of the group that context and data parallelism form together.
int64_t data_stride(const Scenario& s) {
  if (s.parallelism.cp == 1) return stride_of(s, Dimension::dp);
  if (s.parallelism.dp == 1) return stride_of(s, Dimension::cp);
  return std::min(stride_of(s, Dimension::dp), stride_of(s, Dimension::cp));
}

}  // namespace

operator_models::Group make_group(const Scenario& s, int64_t ranks, int64_t stride) {
  operator_models::Group group{.ranks = ranks, .inside = {}};
  for (const hw_profiles::Tier& tier : s.cluster.network) {
    const int64_t domain = tier.size == 0 ? ranks * stride : tier.size;
    group.inside.push_back(std::clamp<int64_t>(domain / stride, 1, ranks));
  }
  if (!group.inside.empty()) group.inside.back() = ranks;
  return group;
}

operator_models::Group tensor_group(const Scenario& s) {
  return make_group(s, s.parallelism.tp, stride_of(s, Dimension::tp));
}

operator_models::Group context_group(const Scenario& s) {
  return make_group(s, s.parallelism.cp, stride_of(s, Dimension::cp));
}

operator_models::Group data_group(const Scenario& s) {
  const int64_t stride = data_stride(s);
  return make_group(s, s.parallelism.dp * s.parallelism.cp, stride);
}

operator_models::Group shard_group(const Scenario& s) {
  const int64_t stride = data_stride(s);
  return make_group(s, s.parallelism.zero_group, stride);
}

operator_models::Group replica_group(const Scenario& s) {
  const int64_t all = s.parallelism.dp * s.parallelism.cp;
  const int64_t stride = data_stride(s);
  return make_group(s, all / s.parallelism.zero_group, stride * s.parallelism.zero_group);
}

namespace {

// Ranks that hold the same experts.
int64_t expert_copies(const Scenario& s) {
  const Parallelism& p = s.parallelism;
  return std::max<int64_t>(1, p.tp * p.cp * p.dp / (p.ep * p.etp));
}

int64_t expert_degree(const Scenario& s, Dimension d) {
  switch (d) {
    case Dimension::tp:
      return s.parallelism.etp;
    case Dimension::cp:
      return 1;
    case Dimension::ep:
      return s.parallelism.ep;
    case Dimension::dp:
      return expert_copies(s);
    case Dimension::pp:
      return s.parallelism.pp;
  }
  return 1;
}

int64_t expert_stride(const Scenario& s, Dimension wanted) { return stride_by(s, wanted, expert_degree); }

}  // namespace

int64_t expert_shards(const Scenario& s) {
  const Parallelism& p = s.parallelism;
  return std::gcd(expert_copies(s), std::max<int64_t>(1, p.zero_group * p.tp / (p.ep * p.etp)));
}

operator_models::Group expert_group(const Scenario& s) {
  return make_group(s, s.parallelism.ep, expert_stride(s, Dimension::ep));
}

operator_models::Group expert_tensor_group(const Scenario& s) {
  return make_group(s, s.parallelism.etp, expert_stride(s, Dimension::tp));
}

operator_models::Group expert_data_group(const Scenario& s) {
  return make_group(s, expert_copies(s), expert_stride(s, Dimension::dp));
}

operator_models::Group expert_shard_group(const Scenario& s) {
  return make_group(s, expert_shards(s), expert_stride(s, Dimension::dp));
}

operator_models::Group expert_replica_group(const Scenario& s) {
  const int64_t shards = expert_shards(s);
  return make_group(s, expert_copies(s) / shards, expert_stride(s, Dimension::dp) * shards);
}

int64_t pipeline_tier(const Scenario& s) {
  const int64_t reach = stride_of(s, Dimension::pp) * s.parallelism.pp;
  for (size_t t = 0; t < s.cluster.network.size(); ++t)
    if (s.cluster.network[t].size == 0 || s.cluster.network[t].size >= reach) return static_cast<int64_t>(t);
  return std::max<int64_t>(0, static_cast<int64_t>(s.cluster.network.size()) - 1);
}

operator_models::Group ends_group(const Scenario& s) {
  // Both ends lie in one domain if the whole pipeline does.
  const int64_t reach = stride_of(s, Dimension::pp) * s.parallelism.pp;
  operator_models::Group group{.ranks = 2, .inside = {}};
  for (const hw_profiles::Tier& tier : s.cluster.network)
    group.inside.push_back(tier.size == 0 || tier.size >= reach ? 2 : 1);
  if (!group.inside.empty()) group.inside.back() = 2;
  return group;
}

int64_t tier_beyond(const Scenario& s, const operator_models::Group& group) {
  const auto& network = s.cluster.network;
  const auto joins = [&](size_t t) {
    const bool leaves_node = network[t].size == 0 || network[t].size > s.cluster.gpus_per_node;
    return leaves_node && group.inside[t] == group.ranks;
  };
  size_t t = 0;
  while (t + 1 < network.size() && !joins(t)) ++t;
  return static_cast<int64_t>(t);
}

std::vector<std::string> tier_names(const Scenario& s, const operator_models::Group& group) {
  std::vector<std::string> names;
  int64_t reached = 1;
  for (size_t t = 0; t < s.cluster.network.size() && reached < group.ranks; ++t) {
    const int64_t here = group.inside[t];
    if (here > reached) names.push_back(s.cluster.network[t].name);
    reached = here;
  }
  return names;
}

}  // namespace planner
