// Which kept tensors `parallelism.offload.modules` names.
#include <algorithm>
#include <array>
#include <span>

#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

constexpr std::array kNormInput{SavedRole::layer_input};
constexpr std::array kMiddle{SavedRole::middle_stream};
constexpr std::array kProjected{SavedRole::attention_input};
// What the kernel wrote goes with the projection that reads it.
constexpr std::array kCore{SavedRole::query,
                           SavedRole::key,
                           SavedRole::value,
                           SavedRole::probabilities,
                           SavedRole::probability_mask,
                           SavedRole::probabilities_dropped,
                           SavedRole::log_sum_exp,
                           SavedRole::context_exchanged};
constexpr std::array kContext{SavedRole::context, SavedRole::attention_gated};
constexpr std::array kExpertInput{SavedRole::expert_input};
constexpr std::array kHidden{SavedRole::hidden, SavedRole::activation_terms, SavedRole::activation};
constexpr std::array kExpertMlp{SavedRole::expert_input, SavedRole::hidden, SavedRole::activation_terms,
                                SavedRole::activation, SavedRole::activated};

struct ModuleRow {
  OffloadModule name;
  std::span<const SavedRole> tensors;
  bool routed = false;  // of routed experts alone
};
// Megatron-Core, transformer_config.py, offload_modules: attn_norm, qkv_linear, core_attn, attn_proj, mlp_norm,
// expert_fc1, moe_act and fused_group_mlp, in this order.
constexpr ModuleRow kRows[] = {
    {OffloadModule::attention_norm, kNormInput},
    {OffloadModule::qkv, kProjected},
    {OffloadModule::core_attention, kCore},
    {OffloadModule::attention_output, kContext},
    {OffloadModule::mlp_norm, kMiddle},
    {OffloadModule::expert_input, kExpertInput, true},
    {OffloadModule::expert_activation, kHidden, true},
    {OffloadModule::expert_mlp, kExpertMlp, true},
};

bool is_named(const std::vector<OffloadModule>& modules, const Saved& saved) {
  return std::ranges::any_of(kRows, [&](const ModuleRow& row) {
    return std::ranges::find(modules, row.name) != modules.end() && (saved.routed || !row.routed) &&
           std::ranges::find(row.tensors, saved.role) != row.tensors.end();
  });
}

}  // namespace

bool offloads_modules(const Scenario& s) { return !offloaded(s).modules.empty(); }

void apply_host_modules(const Scenario& s, Workload& w) {
  for (Block& block : w.blocks) {
    block.host_bytes = 0;
    for (const Saved& saved : block.saved)
      if (is_named(s.parallelism.offload.modules, saved))
        block.host_bytes += saved.bytes / static_cast<double>(saved.of_layers);
  }
}

double movable_bytes(const Scenario& s, const Block& block) {
  return offloads_modules(s) ? block.host_bytes : block.saved_bytes();
}

}  // namespace planner
