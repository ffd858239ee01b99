#include "planner/scenario/lacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace planner {
namespace {

const char* word_of(const Scenario& s) { return row_of(s.job.optimizer).name; }
const char* base_of(const Scenario& s) { return dsl::word_of(s.job.lora.base); }

/// A row holds a conflict, its field, and a fix.
struct Conflict {
  const char* field;
  bool (*holds)(const Scenario&);
  std::string (*message)(const Scenario&);
  const char* hint;
};

constexpr Conflict kConflicts[]{
    {"job.lora.base", [](const Scenario& s) { return s.job.task == Task::qlora && s.job.lora.base == BaseType::none; },
     [](const Scenario&) {
       return std::string("task qlora holds the base weights in fewer bits, and job.lora.base is none");
     },
     "job.lora.base: nf4, or job.task: lora"},
    {"job.lora.rank",
     [](const Scenario& s) {
       return s.job.task == Task::qlora && s.job.lora.base != BaseType::none && s.job.lora.rank == 0;
     },
     [](const Scenario& s) {
       return fmt::format("{} would train the base, which is frozen in {}: without adapters (rank 0) nothing is left",
                          word_of(s), base_of(s));
     },
     "job.lora.rank: 16, or job.task: sft with job.lora.base: none"},
    {"job.lora.base", [](const Scenario& s) { return s.job.lora.base != BaseType::none && s.job.lora.rank == 0; },
     [](const Scenario& s) {
       return fmt::format("base weights in {} are those of LoRA, and job.lora.rank is 0: all weights are trained",
                          base_of(s));
     },
     "job.task: qlora, or job.lora.base: none"},
    {"parallelism.offload.optimizer",
     [](const Scenario& s) { return s.parallelism.offload.optimizer > 0 && !row_of(s.job.optimizer).products.empty(); },
     [](const Scenario& s) {
       return fmt::format("the host updates offloaded states, and multiplies no matrices for {}", word_of(s));
     },
     "parallelism.offload.optimizer: 0, or job.optimizer: adam"},
    {"parallelism.servers",
     [](const Scenario& s) { return s.parallelism.servers > 0 && !row_of(s.job.optimizer).products.empty(); },
     [](const Scenario& s) {
       return fmt::format("parameter servers update what they hold, and multiply no matrices for {}", word_of(s));
     },
     "parallelism.servers: 0, or job.optimizer: adam"},
};

}  // namespace

std::optional<Lack> update_lack(const Scenario& s) {
  for (const Conflict& row : kConflicts)
    if (row.holds(s)) return Lack{row.field, row.message(s), row.hint};
  return std::nullopt;
}

std::optional<Lack> idle_muon(const Scenario& s) {
  const Muon usual;
  if (row_of(s.job.optimizer).shards) return std::nullopt;
  const bool mode = s.job.muon.mode != usual.mode;
  if (!mode && s.job.muon.steps == usual.steps) return std::nullopt;
  const char* field = mode ? "job.muon.mode" : "job.muon.steps";
  return Lack{field, fmt::format("{} is of Muon, and job.optimizer is {}", field, word_of(s)),
              "job.optimizer: muon, or leave job.muon out"};
}

namespace {

constexpr const char *kSelective = "software.selective", *kModules = "parallelism.offload.modules";
constexpr std::array kLayerPolicies{Selective::every_second_layer, Selective::every_second_matmul,
                                    Selective::all_but_qkv, Selective::all_but_products};

const char* word(Selective s) { return dsl::word_of(s); }

bool has_latents(const Model& m) { return m.latent.rank > 0; }
bool has_experts(const Model& m) { return m.experts.count > 0; }
bool has_shared(const Model& m) { return has_experts(m) && m.experts.shared_ffn > 0; }
bool has_dense_mlp(const Model& m) {
  return std::ranges::any_of(layer_kinds(m), [](const LayerKind& kind) { return !kind.experts; });
}

/// What a module is about. A module without a row is in any model.
struct ModulePart {
  Selective module;
  bool (*in)(const Model&);
  const char* what;
};
constexpr ModulePart kParts[] = {{Selective::latent_up, has_latents, "latents of keys and values"},
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
  for (const ModulePart& part : kParts)
    if (repeats && std::ranges::find(s.software.selective, part.module) != s.software.selective.end() &&
        !part.in(s.model))
      idle.push_back({kSelective, fmt::format("{} repeats nothing: the model has no {}", word(part.module), part.what),
                      fmt::format("leave {} out", word(part.module))});
  for (const OffloadModule module : s.parallelism.offload.modules)
    if (is_of_experts(module) && !has_experts(s.model)) {
      const char* name = dsl::word_of(module);
      idle.push_back({kModules, fmt::format("{} offloads nothing: the model has no experts", name),
                      fmt::format("leave {} out", name)});
    }
  return idle;
}

}  // namespace planner
