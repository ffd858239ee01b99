#include "planner/plan/anatomy.h"

#include <algorithm>
#include <initializer_list>
#include <span>

#include "planner/workload/overlap.h"

namespace planner {
namespace {

/// Members of a part of the step.
template <class Of> struct PartMembers {
  const char* part;
  std::initializer_list<Of> members;
};

// Sublayers that are one part, whatever their operators do; of the others the role says it.
constexpr PartMembers<Sublayer> kSublayers[] = {
    {"embedding", {Sublayer::embedding}},
    {"output", {Sublayer::head}},
    {"optimizer", {Sublayer::optimizer, Sublayer::data_parallel, Sublayer::offload}},
    {"experts", {Sublayer::experts}},
    {"recurrence", {Sublayer::mixer}},
    {"fixed", {Sublayer::fixed}},
    {"communication", {Sublayer::pipeline}},
};

// Roles of attention, of a dense MLP and of the residual stream. Where nothing is fused, the second bias of a sublayer
// is a kernel between its GEMM and the dropout, and of the GEMM's role. Projections of attention have no row: linear.
constexpr PartMembers<Role> kRoles[] = {
    {"attention-gemm", {Role::score, Role::weighted_values, Role::fused_attention}},
    {"softmax", {Role::scale, Role::mask, Role::softmax, Role::probability_dropout}},
    {"heads",
     {Role::split_heads, Role::join_heads, Role::rotary, Role::join_parts, Role::head_norm, Role::query_latent_norm,
      Role::key_value_latent_norm}},
    {"fc", {Role::fc1, Role::fc2}},
    {"activation", {Role::activation, Role::gate}},
    {"residual",
     {Role::attention_norm, Role::attention_post_norm, Role::attention_residual, Role::mlp_norm, Role::mlp_post_norm,
      Role::mlp_residual, Role::prediction_embedding_norm, Role::prediction_hidden_norm, Role::prediction_projection}},
};

template <class Of> const char* find_part(std::span<const PartMembers<Of>> rows, Of member) {
  for (const PartMembers<Of>& row : rows)
    if (std::ranges::find(row.members, member) != row.members.end()) return row.part;
  return nullptr;
}

}  // namespace

const char* part_of(const WorkOp& op) {
  if (is_communication(op.op)) return "communication";
  if (const char* part = find_part<Sublayer>(kSublayers, op.sublayer)) return part;
  const char* part = find_part<Role>(kRoles, op.role);
  return part ? part : "linear";
}

}  // namespace planner
