#include "planner/scenario/divisions.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace planner {
namespace {

bool has_experts(const Scenario& s) { return s.model.experts.count > 0; }
bool has_dense_layers(const Scenario& s) {
  const Experts& e = s.model.experts;
  if (!s.model.pattern.empty())
    return std::ranges::any_of(s.model.kinds, [](const LayerRow& r) { return r.feed_forward == FeedForward::mlp; });
  return e.count == 0 || e.first_dense > 0 || e.every > 1;
}

// Of a recurrence groups of heads with their keys, as Megatron-Core's mamba mixer asks of its groups (and mamba_ssm's
// Mamba2). Mamba-1 has no groups: its ranks divide the inner width and sum the one key (GPT-NeoX, mamba.py).
int64_t divided_heads(const LayerRow& row) {
  const bool groups = row.mixer == Mixer::steps && row.rule != operator_models::ScanRule::selective;
  return groups ? row.key_heads : row.heads;
}

// The greatest number that divides the heads of every kind of layers: of their values and of their keys.
int64_t heads_of_kinds(const Scenario& s) {
  int64_t common = 0;
  for (const LayerRow& row : s.model.kinds)
    if (row.mixer != Mixer::none) common = std::gcd(common, divided_heads(row));
  return common;
}
int64_t adapter_rank(const Scenario& s) { return s.job.lora.rank; }

// In the order of their messages.
constexpr std::array kDivisions{
    Division{"heads", &Degrees::tp, "{} attention heads are", [](const Scenario& s) { return s.model.heads; }},
    Division{"heads", &Degrees::tp, "{} heads, of each kind of layers, are", heads_of_kinds},
    Division{"width", &Degrees::tp, "MLP width {} is",
             [](const Scenario& s) { return has_dense_layers(s) ? s.model.ffn : 0; }},
    Division{"width", &Degrees::etp, "expert width {} is",
             [](const Scenario& s) { return has_experts(s) ? s.model.experts.ffn : 0; }},
    Division{"width", &Degrees::tp, "width {} of the shared experts is",
             [](const Scenario& s) { return has_experts(s) ? s.model.experts.shared_ffn : 0; }},
    Division{"experts", &Degrees::ep, "{} experts are", [](const Scenario& s) { return s.model.experts.count; }},
    Division{"sequence", &Degrees::tp, "sequence {} is",
             [](const Scenario& s) { return s.parallelism.sequence_parallel ? s.job.sequence : 0; },
             " (sequence parallelism)"},
    Division{"lora", &Degrees::tp, "adapters of rank {} are", adapter_rank},
    Division{"lora", &Degrees::etp, "adapters of rank {} are", adapter_rank},
};

}  // namespace

std::span<const Division> divisions() { return kDivisions; }

}  // namespace planner
