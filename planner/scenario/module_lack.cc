#include "planner/scenario/module_lack.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace planner {
namespace {

constexpr const char *kSelective = "software.selective", *kModules = "parallelism.offload.modules";
constexpr std::array kLayerPolicies{Selective::every_second_layer, Selective::every_second_matmul,
                                    Selective::all_but_qkv, Selective::all_but_products};

const char* word(Selective s) { return kSelectiveNames[static_cast<size_t>(s)]; }

bool has_latents(const Model& m) { return m.latent.rank > 0; }
bool has_experts(const Model& m) { return m.experts.count > 0; }
bool has_shared(const Model& m) { return has_experts(m) && m.experts.shared_ffn > 0; }
bool has_dense_mlp(const Model& m) {
  return std::ranges::any_of(layer_kinds(m), [](const LayerKind& kind) { return !kind.experts; });
}

/// What a module is about. A module without a row is in any model.
struct Part {
  Selective module;
  bool (*in)(const Model&);
  const char* what;
};
constexpr Part kParts[] = {{Selective::latent_up, has_latents, "latents of keys and values"},
                           {Selective::expert_activation, has_experts, "experts"},
                           {Selective::experts, has_experts, "experts"},
                           {Selective::shared_experts, has_shared, "shared experts"},
                           {Selective::mlp, has_dense_mlp, "MLP without experts"}};

bool is_of_experts(OffloadModule m) { return m >= OffloadModule::expert_input; }

}  // namespace

std::optional<Selective> layer_policy(const Software& software) {
  for (const Selective word : software.selective)
    if (std::ranges::find(kLayerPolicies, word) != kLayerPolicies.end()) return word;
  return std::nullopt;
}

std::optional<Lack> module_lack(const Scenario& s) {
  const std::optional<Selective> policy = layer_policy(s.software);
  if (policy && s.software.selective.size() > 1)
    return Lack{kSelective, fmt::format("{} says what a whole layer keeps: no other word goes with it", word(*policy)),
                fmt::format("software.selective: {}", word(*policy))};
  if (s.parallelism.recompute == Recompute::selective && s.software.selective.empty())
    return Lack{kSelective, "recompute is selective, and software.selective names nothing",
                "parallelism.recompute: none, or software.selective: core-attention"};
  if (!s.parallelism.offload.modules.empty() && s.parallelism.offload.activations == 0)
    return Lack{kModules, "modules are offloaded, and the share of their activations is 0",
                "parallelism.offload.activations: 1, or leave parallelism.offload.modules out"};
  return std::nullopt;
}

std::vector<Lack> idle_modules(const Scenario& s) {
  std::vector<Lack> idle;
  if (!s.model.operators.empty()) return idle;
  const bool repeats = s.parallelism.recompute == Recompute::selective;
  for (const Part& part : kParts)
    if (repeats && std::ranges::find(s.software.selective, part.module) != s.software.selective.end() &&
        !part.in(s.model))
      idle.push_back({kSelective, fmt::format("{} repeats nothing: the model has no {}", word(part.module), part.what),
                      fmt::format("leave {} out", word(part.module))});
  for (const OffloadModule module : s.parallelism.offload.modules)
    if (is_of_experts(module) && !has_experts(s.model)) {
      const char* name = kOffloadModuleNames[static_cast<size_t>(module)];
      idle.push_back({kModules, fmt::format("{} offloads nothing: the model has no experts", name),
                      fmt::format("leave {} out", name)});
    }
  return idle;
}

}  // namespace planner
