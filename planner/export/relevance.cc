#include "planner/export/relevance.h"

#include <algorithm>

#include "planner/export/conditions.h"
#include "planner/export/table.h"

namespace planner::exporting {
namespace {

bool always(const Scenario&) { return true; }

/// `with`: the field whose setting or refusal says this one too, where a target has no row for it.
struct FieldRelevance {
  const char* pattern;
  bool (*when)(const Scenario&);
  const char* with = nullptr;
};
constexpr FieldRelevance kRelevance[] = {
    {"model.mtp_pattern", always, "model.pattern"},
    {"model.kinds*", always, "model.pattern"},
    {"model.rotary", always, "model.positions"},
    {"model.gated_mlp", always, "model.activation"},
    {"model.experts.count", is_mixture},
    {"model.clamp", clamps},
    {"model.sinks", has_sinks},
    {"model.experts.shared", has_shared},
    {"model.experts.shared_ffn", has_shared, "model.experts.shared"},
    {"model.experts.shared_gate", has_shared},
    {"model.experts.groups_per_token", has_groups, "model.experts.groups"},
    {"model.experts.groups", has_groups},
    {"model.experts.every", is_mixture, "model.experts.first_dense"},
    {"model.experts.*", is_mixture},
    {"model.latent.rank", has_latent},
    {"model.latent.query_rank", has_query_rank, "model.latent.rank"},
    {"model.latent.*", has_latent, "model.latent.rank"},
    {"model.window.global_every", has_window, "model.window.size"},
    {"model.window.size", has_window},
    {"job.tokens", has_tokens},
    {"job.document", packs},
    {"job.muon.*", is_muon, "job.optimizer"},
    {"job.lora.rank", has_adapters},
    {"job.lora.*", has_adapters, "job.lora.rank"},
    {"job.routing.*", is_mixture},
    {"parallelism.ep", is_mixture},
    {"parallelism.etp", is_mixture},
    {"parallelism.stages", has_pipeline},
    {"parallelism.balance", has_pipeline, "parallelism.stages"},
    {"parallelism.schedule", has_schedule},
    {"parallelism.interleave", interleaves},
    {"parallelism.cp_inner", has_inner_context, "software.context"},
    {"parallelism.sequence_parallel", splits_tensors},
    {"parallelism.zero_group", shards},
    {"parallelism.expert_zero_group", shards},
    {"parallelism.recompute_*", recomputes_all, "parallelism.recompute"},
    {"parallelism.offload.modules", offloads_activations, "parallelism.offload.activations"},
    {"software.schedule", has_schedule, "parallelism.schedule"},
    {"software.scatter_gather", has_pipeline},
    {"software.reshards_in_pipeline", has_pipeline, "parallelism.zero"},
    {"software.overlap.parameters", shards},
    {"software.overlap.pipeline", interleaves},
    {"software.overlap.tensor", splits_tensors},
    {"software.fused_collectives", splits_tensors},
    {"software.context", splits_context},
    {"software.balanced_context", splits_context},
    {"software.experts.overlap_shared", has_shared},
    {"software.experts.*", is_mixture},
    {"software.fsdp", shards, "parallelism.zero"},
    {"software.reduce_scatter", shards_states},
    {"software.gather_bytes", shards},
    {"software.selective", recomputes_part},
    {"software.fusion.rope", is_rotary},
    {"software.scaling", needs_scales},
    {"software.narrow_*", is_narrow}};

const FieldRelevance* row_of(std::string_view field) {
  const auto row = std::ranges::find_if(kRelevance, [&](const FieldRelevance& r) { return matches(field, r.pattern); });
  return row == std::end(kRelevance) ? nullptr : row;
}

}  // namespace

bool is_relevant(std::string_view field, const Scenario& scenario) {
  const FieldRelevance* row = row_of(field);
  return !row || row->when(scenario);
}

bool goes_with_another(std::string_view field) {
  const FieldRelevance* row = row_of(field);
  return row && row->with;
}

bool is_setting(const dsl::Field& field) {
  constexpr std::string_view kSections[] = {"model.", "job.", "software.", "parallelism."};
  const auto is_of = [&](std::string_view section) { return field.path.starts_with(section); };
  return std::ranges::any_of(kSections, is_of) && !is_of("software.errors.") && !field.descriptive;
}

}  // namespace planner::exporting
