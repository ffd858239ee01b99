// Pipeline parallelism: which stage and chunk holds which layers, and what crosses a boundary.
#include <algorithm>

#include "planner/workload/partition.h"
#include "planner/workload/passes.h"
#include "planner/workload/placement.h"

namespace planner {

std::vector<int64_t> layers_per_part(const Scenario& s) {
  const int64_t parts = s.parallelism.pp * s.parallelism.interleave, layers = s.model.layers;
  if (!s.parallelism.stages.empty()) return s.parallelism.stages;
  std::vector<int64_t> out(static_cast<size_t>(parts), layers / parts);
  const int64_t rest = layers % parts;
  if (rest == 0 || parts == 1) return out;
  if ((layers + 2) % parts == 0) {
    // Embedding and head each take the slot of a layer (DeepSpeed's partition by type, BLOOM).
    std::fill(out.begin(), out.end(), (layers + 2) / parts);
    --out.front();
    --out.back();
    return out;
  }
  // As even as possible; the ends, which also hold embedding and head, stay light.
  const int64_t first = parts - rest > 1 ? 1 : 0;
  for (int64_t i = 0; i < rest; ++i) ++out[static_cast<size_t>(first + i)];
  return out;
}

namespace {

StageClass stage_of(const Scenario& s, const std::vector<int64_t>& parts, int64_t stage) {
  StageClass c;
  const int64_t pp = s.parallelism.pp, chunks = s.parallelism.interleave;
  for (int64_t k = 0; k < chunks; ++k) {
    const int64_t part = k * pp + stage;
    c.chunks.push_back({.embedding = part == 0 ? 1 : 0,
                        .layers = parts[static_cast<size_t>(part)],
                        .head = part == pp * chunks - 1 ? 1 : 0});
  }
  return c;
}

double parameters_of(const Scenario& s, const Workload& w, const StageClass& c) {
  double sum = 0;
  for (const Chunk& chunk : c.chunks) {
    sum += static_cast<double>(chunk.embedding) * w.embedding.parameters() +
           static_cast<double>(chunk.layers) * w.layer.parameters() +
           static_cast<double>(chunk.head) * w.head.parameters();
  }
  // With one stage the tied head shares the embedding's memory; with more, both ends hold a copy.
  if (s.parallelism.pp == 1)
    for (const Weight& weight : w.head.weights) sum -= weight.tied ? weight.parameters : 0;
  return sum;
}

}  // namespace

void apply_pipeline(const Scenario& s, Workload& w) {
  const Parallelism& p = s.parallelism;
  w.microbatches = s.job.global_batch / (p.dp * p.microbatch);
  const std::vector<int64_t> parts = layers_per_part(s);
  for (int64_t stage = 0; stage < p.pp; ++stage) {
    StageClass c = stage_of(s, parts, stage);
    auto same = std::find_if(w.classes.begin(), w.classes.end(),
                             [&](const StageClass& other) { return other.chunks == c.chunks; });
    w.class_of_stage.push_back(static_cast<int>(same - w.classes.begin()));
    if (same != w.classes.end()) continue;
    c.parameters = parameters_of(s, w, c);
    w.classes.push_back(std::move(c));
  }
  if (p.pp == 1) return;
  // Each tensor rank sends its shard: with sequence parallelism that is all it has, without it
  // Megatron scatters before and gathers after the boundary (Narayanan et al. 2021, section 4.1).
  const double tokens = static_cast<double>(p.microbatch * s.job.sequence / p.cp);
  const double bytes = w.width_bytes * tokens * static_cast<double>(s.model.hidden);
  const bool scattered = p.sequence_parallel || s.software.scatter_gather;
  w.boundary = {.bytes = {bytes / (scattered ? static_cast<double>(p.tp) : 1)}, .tier = pipeline_tier(s)};
  if (s.software.scatter_gather && !p.sequence_parallel && p.tp > 1)
    w.rejoin = {.kind = operator_models::CollectiveKind::all_gather, .bytes = {bytes}, .group = tensor_group(s)};
}

}  // namespace planner
