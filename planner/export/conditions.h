// Conditions under which a field of a scenario means something, and sums that several targets need.
#pragma once

#include <cstdint>

#include "planner/scenario/scenario.h"

namespace planner::exporting {

// The model.
bool is_mixture(const Scenario& s);
bool has_shared(const Scenario& s);  // experts that see every token
bool has_groups(const Scenario& s);  // of experts
bool has_latent(const Scenario& s);
bool has_query_rank(const Scenario& s);
bool has_mtp(const Scenario& s);
bool has_window(const Scenario& s);
bool is_rotary(const Scenario& s);
bool is_rms_norm(const Scenario& s);

// The job.
bool has_tokens(const Scenario& s);
bool packs(const Scenario& s);  // several documents in a sequence
bool has_capacity(const Scenario& s);
bool has_adapters(const Scenario& s);
bool is_narrow(const Scenario& s);     // eight or four bits
bool needs_scales(const Scenario& s);  // fp8, whose scales are a choice

// The layout.
bool splits_tensors(const Scenario& s);
bool splits_context(const Scenario& s);
bool has_pipeline(const Scenario& s);
bool interleaves(const Scenario& s);
bool clamps(const Scenario& s);           // the inputs of its activation
bool shards(const Scenario& s);           // ZeRO of any stage
bool shards_states(const Scenario& s);    // ZeRO 1 or 2: gradients are reduced to the owners of shards
bool shards_once(const Scenario& s);      // ZeRO 1
bool is_fsdp(const Scenario& s);          // PyTorch's, which overlaps and reduces by itself
bool is_plain(const Scenario& s);         // not that
bool gathers(const Scenario& s);          // shards, and says when
bool gathers_tensors(const Scenario& s);  // ZeRO 3 of DeepSpeed
bool recomputes(const Scenario& s);
bool recomputes_part(const Scenario& s);
bool recomputes_all(const Scenario& s);
bool offloads_optimizer(const Scenario& s);
bool offloads_activations(const Scenario& s);
bool offloads_parts(const Scenario& s);  // of some modules
/// Returns whether every part of the pipeline holds as many layers.
bool is_even(const Scenario& s);

/// Returns the sequences of the whole run, rounded up; 0 where it has no end. `steps` counts the same run in steps.
int64_t sequences(const Scenario& s);
int64_t steps(const Scenario& s);
int64_t nodes(const Scenario& s);
int64_t gpus_per_node(const Scenario& s);

/// Gradients of one bucket (software.bucket_bytes); 0: there are no buckets.
int64_t parameters_of_bucket(const Scenario& s);

}  // namespace planner::exporting
