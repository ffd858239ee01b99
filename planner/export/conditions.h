// Conditions under which a field of a scenario means something, and sums that several targets need.
#pragma once

#include <algorithm>
#include <cstdint>

#include "planner/scenario/optimizers.h"
#include "planner/scenario/scenario.h"

namespace planner::exporting {

// The model.
inline bool is_mixture(const Scenario& s) { return s.model.experts.count > 0; }
/// Experts that see every token.
inline bool has_shared(const Scenario& s) { return is_mixture(s) && s.model.experts.shared_ffn > 0; }
inline bool has_groups(const Scenario& s) { return is_mixture(s) && s.model.experts.groups > 1; }  // of experts
inline bool has_latent(const Scenario& s) { return s.model.latent.rank > 0; }
inline bool has_query_rank(const Scenario& s) { return has_latent(s) && s.model.latent.query_rank > 0; }
inline bool has_mtp(const Scenario& s) { return s.model.mtp > 0; }
inline bool has_window(const Scenario& s) { return s.model.window.size > 0; }
inline bool is_rotary(const Scenario& s) { return s.model.rotary; }
inline bool has_sinks(const Scenario& s) { return s.model.sinks; }
inline bool is_rms_norm(const Scenario& s) { return s.model.norm == Norm::rmsnorm; }

// The job.
inline bool has_tokens(const Scenario& s) { return s.job.tokens.has_value(); }
inline bool packs(const Scenario& s) { return s.job.document != s.job.sequence; }  // several documents in a sequence
inline bool has_capacity(const Scenario& s) { return is_mixture(s) && s.job.routing.capacity > 0; }
inline bool has_adapters(const Scenario& s) { return s.job.lora.rank > 0; }
inline bool is_muon(const Scenario& s) { return row_of(s.job.optimizer).shards; }
inline bool is_narrow(const Scenario& s) { return planner::is_narrow(s.job.precision); }  // eight or four bits
/// Fp8, whose scales are a choice.
inline bool needs_scales(const Scenario& s) { return s.job.precision == Precision::fp8; }

// The layout.
inline bool splits_tensors(const Scenario& s) { return s.parallelism.tp > 1; }
inline bool splits_context(const Scenario& s) { return s.parallelism.cp > 1; }
/// Ranks that exchange heads, and rings of them.
inline bool has_inner_context(const Scenario& s) {
  return splits_context(s) && s.software.context == Context::all_to_all_ring;
}
inline bool has_pipeline(const Scenario& s) { return s.parallelism.pp > 1; }
/// A stage alone has none but the usual one.
bool has_schedule(const Scenario& s);
/// Returns the field that says the schedule: the layout's own, or that of the software.
inline const char* schedule_field(const Scenario& s) {
  return s.parallelism.schedule.empty() ? "software.schedule" : "parallelism.schedule";
}
inline bool interleaves(const Scenario& s) { return has_pipeline(s) && s.parallelism.interleave > 1; }
inline bool clamps(const Scenario& s) { return s.model.clamp > 0; }       // the inputs of its activation
inline bool shards(const Scenario& s) { return s.parallelism.zero > 0; }  // ZeRO of any stage
/// ZeRO 1 or 2: gradients are reduced to the owners of shards.
inline bool shards_states(const Scenario& s) { return shards(s) && s.parallelism.zero < 3; }
inline bool shards_weights(const Scenario& s) { return s.parallelism.zero == 3; }
inline bool shards_once(const Scenario& s) { return s.parallelism.zero == 1; }  // ZeRO 1
/// PyTorch's FSDP, which overlaps and reduces without further settings.
inline bool is_fsdp(const Scenario& s) { return s.software.fsdp && s.parallelism.zero > 1; }
inline bool is_plain(const Scenario& s) { return !is_fsdp(s); }              // not that
inline bool gathers(const Scenario& s) { return shards(s) && is_plain(s); }  // shards, and controls when
/// ZeRO 3 of DeepSpeed.
inline bool gathers_tensors(const Scenario& s) { return s.parallelism.zero == 3 && s.software.gather_tensors; }
inline bool recomputes(const Scenario& s) { return s.parallelism.recompute != Recompute::none; }
inline bool recomputes_part(const Scenario& s) { return s.parallelism.recompute == Recompute::selective; }
inline bool recomputes_all(const Scenario& s) { return s.parallelism.recompute == Recompute::full; }
inline bool offloads_optimizer(const Scenario& s) { return s.parallelism.offload.optimizer > 0; }
inline bool offloads_activations(const Scenario& s) { return s.parallelism.offload.activations > 0; }
/// Of some modules.
inline bool offloads_parts(const Scenario& s) {
  return offloads_activations(s) && !s.parallelism.offload.modules.empty();
}
/// Returns whether every part of the pipeline holds as many layers.
bool is_even(const Scenario& s);

/// Returns the sequences of the whole run, rounded up; 0 where it has no end. `steps` counts the same run in steps.
int64_t sequences(const Scenario& s);
inline int64_t steps(const Scenario& s) { return (sequences(s) + s.job.global_batch - 1) / s.job.global_batch; }
inline int64_t gpus_per_node(const Scenario& s) { return std::min(s.cluster.gpus, s.cluster.gpus_per_node); }
inline int64_t nodes(const Scenario& s) { return (s.cluster.gpus + gpus_per_node(s) - 1) / gpus_per_node(s); }

}  // namespace planner::exporting
