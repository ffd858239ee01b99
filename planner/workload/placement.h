// Where the groups of a layout land: `parallelism.order` deals neighbouring ranks to the dimensions,
// nearest first, so that a group's stride decides which network tiers it crosses.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "planner/scenario/scenario.h"

namespace planner {

/// The degrees that have their own word, nearest first; empty: the text was invalid.
struct DegreeOrder {
  std::array<const Degree*, kMostDegrees> words{};
  size_t count = 0;
  const Degree* const* begin() const { return words.data(); }
  const Degree* const* end() const { return begin() + count; }
  const Degree* front() const { return words.front(); }
  bool empty() const { return count == 0; }
  size_t size() const { return count; }
};

/// Ranks between two neighbours of the group that a degree forms, in its own cut of the ranks. Unknown order words are
/// a violation (violations.cc).
int64_t stride_of(const Scenario& s, DegreeOf degree);
/// Returns the index of a rank of the job in the group that a degree forms, from 0. REQUIRES: no layout violation, and
/// a degree that takes ranks.
int64_t index_of(const Scenario& s, DegreeOf degree, int64_t rank);
/// A group of `ranks` members `stride` apart: how many of them share a domain of each tier.
operator_models::Group make_group(const Scenario& s, int64_t ranks, int64_t stride);

/// The group that a degree forms.
inline operator_models::Group group_of(const Scenario& s, DegreeOf degree) {
  return make_group(s, s.parallelism.*degree, stride_of(s, degree));
}
inline operator_models::Group tensor_group(const Scenario& s) { return group_of(s, &Degrees::tp); }
/// Whether the ranks of a tensor group, or of an expert's where tensor ranks are alone, hold different tokens.
inline bool splits_tokens(const Parallelism& p) { return p.sequence_parallel || p.tp == 1; }
inline operator_models::Group context_group(const Scenario& s) { return group_of(s, &Degrees::cp); }
/// Context ranks that exchange heads (1 for a ring); their group, and those that form a ring: ranks with the same
/// heads.
int64_t exchanging_ranks(const Scenario& s);
operator_models::Group exchange_group(const Scenario& s);
operator_models::Group ring_group(const Scenario& s);
/// Ranks that hold the same weights and see different data (context ranks included).
operator_models::Group data_group(const Scenario& s);
/// ZeRO and FSDP: ranks among which states are sharded, and the replicas of one shard (HSDP).
operator_models::Group shard_group(const Scenario& s);
operator_models::Group replica_group(const Scenario& s);
/// Ranks that hold a layer's experts together, and ranks that share one expert.
inline operator_models::Group expert_group(const Scenario& s) { return group_of(s, &Degrees::ep); }
inline operator_models::Group expert_tensor_group(const Scenario& s) { return group_of(s, &Degrees::etp); }
/// Ranks that hold the same experts, and of those the shard group and its replicas. Experts divide the ranks of a stage
/// separately, in the same order.
operator_models::Group expert_data_group(const Scenario& s);
operator_models::Group expert_shard_group(const Scenario& s);
operator_models::Group expert_replica_group(const Scenario& s);
/// Ranks that hold the same experts.
int64_t expert_copies(const Scenario& s);
/// Ranks of the expert shard group: parallelism.expert_zero_group, else as large a part of the common one as the copies
/// of an expert allow.
int64_t expert_shards(const Scenario& s);
/// The tier that a message between neighbouring stages crosses (the widest of the pipeline's boundaries).
int64_t pipeline_tier(const Scenario& s);
/// Whether neighbouring stages lie at the same place of different nodes.
bool along_rails(const Scenario& s);
/// First and last stage, for the gradient of a tied embedding.
operator_models::Group ends_group(const Scenario& s);

/// The tier for machines other than the workers' own: the widest that a group crosses, but at least the first that
/// leaves a node.
int64_t tier_beyond(const Scenario& s, const operator_models::Group& group);

/// The members of a group that share a node.
operator_models::Group inside_node(const Scenario& s, const operator_models::Group& group);

/// Names of the tiers that a group uses.
std::vector<std::string> tier_names(const Scenario& s, const operator_models::Group& group);

/// Splits a text such as `kDefaultOrder`; empty if a word is unknown, doubled or missing.
DegreeOrder parse_order(std::string_view order);

}  // namespace planner
