#include "planner/export/conditions.h"

#include <algorithm>

#include "planner/workload/partition.h"

namespace planner::exporting {

bool is_mixture(const Scenario& s) { return s.model.experts.count > 0; }
bool has_shared(const Scenario& s) { return is_mixture(s) && s.model.experts.shared > 0; }
bool has_groups(const Scenario& s) { return is_mixture(s) && s.model.experts.groups > 1; }
bool has_latent(const Scenario& s) { return s.model.latent.rank > 0; }
bool has_query_rank(const Scenario& s) { return has_latent(s) && s.model.latent.query_rank > 0; }
bool has_mtp(const Scenario& s) { return s.model.mtp > 0; }
bool has_window(const Scenario& s) { return s.model.window.size > 0; }
bool is_rotary(const Scenario& s) { return s.model.rotary; }
bool is_rms_norm(const Scenario& s) { return s.model.norm == Norm::rmsnorm; }

bool has_tokens(const Scenario& s) { return s.job.tokens.has_value(); }
bool has_capacity(const Scenario& s) { return is_mixture(s) && s.job.routing.capacity > 0; }
bool packs(const Scenario& s) { return s.job.document != s.job.sequence; }
bool has_adapters(const Scenario& s) { return s.job.lora.rank > 0; }
bool is_narrow(const Scenario& s) { return planner::is_narrow(s.job.precision); }
bool needs_scales(const Scenario& s) { return s.job.precision == Precision::fp8; }

bool splits_tensors(const Scenario& s) { return s.parallelism.tp > 1; }
bool splits_context(const Scenario& s) { return s.parallelism.cp > 1; }
bool has_pipeline(const Scenario& s) { return s.parallelism.pp > 1; }
bool interleaves(const Scenario& s) { return has_pipeline(s) && s.parallelism.interleave > 1; }
bool clamps(const Scenario& s) { return s.model.clamp > 0; }
bool shards(const Scenario& s) { return s.parallelism.zero > 0; }
bool shards_states(const Scenario& s) { return shards(s) && s.parallelism.zero < 3; }
bool shards_once(const Scenario& s) { return s.parallelism.zero == 1; }
bool is_fsdp(const Scenario& s) { return s.software.fsdp && s.parallelism.zero > 1; }
bool is_plain(const Scenario& s) { return !is_fsdp(s); }
bool gathers(const Scenario& s) { return shards(s) && is_plain(s); }
bool gathers_tensors(const Scenario& s) { return s.parallelism.zero == 3 && s.software.gather_tensors; }
bool recomputes(const Scenario& s) { return s.parallelism.recompute != Recompute::none; }
bool recomputes_part(const Scenario& s) { return s.parallelism.recompute == Recompute::selective; }
bool recomputes_all(const Scenario& s) { return s.parallelism.recompute == Recompute::full; }
bool offloads_optimizer(const Scenario& s) { return s.parallelism.offload.optimizer > 0; }
bool offloads_activations(const Scenario& s) { return s.parallelism.offload.activations > 0; }
bool offloads_parts(const Scenario& s) { return offloads_activations(s) && !s.parallelism.offload.modules.empty(); }

bool is_even(const Scenario& s) {
  const std::vector<int64_t> parts = layers_per_part(s);
  return std::all_of(parts.begin(), parts.end(), [&](int64_t n) { return n == parts.front(); });
}

int64_t sequences(const Scenario& s) {
  return s.job.tokens ? (*s.job.tokens + s.job.sequence - 1) / s.job.sequence : 0;
}
int64_t steps(const Scenario& s) { return (sequences(s) + s.job.global_batch - 1) / s.job.global_batch; }
int64_t gpus_per_node(const Scenario& s) { return std::min(s.cluster.gpus, s.cluster.gpus_per_node); }
int64_t nodes(const Scenario& s) { return (s.cluster.gpus + gpus_per_node(s) - 1) / gpus_per_node(s); }

int64_t parameters_of_bucket(const Scenario& s) {
  const double width = s.software.reduce_bytes;
  return width > 0 ? static_cast<int64_t>(s.software.bucket_bytes.value / width) : 0;
}

}  // namespace planner::exporting
