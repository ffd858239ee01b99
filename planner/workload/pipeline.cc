// Pipeline parallelism: which stage and chunk holds which layers, and what crosses a boundary.
#include <algorithm>
#include <utility>

#include "planner/step.h"
#include "planner/workload/partition.h"
#include "planner/workload/passes.h"
#include "planner/workload/placement.h"

namespace planner {

namespace {

// The last part holds prediction layers, head and loss, which take the slots of as many layers and two more
// (the layouts of 61 layers that Megatron-Bridge publishes for 4 to 32 parts).
std::vector<int64_t> before_predictions(int64_t layers, int64_t parts, int64_t predictions) {
  const int64_t taken = predictions + 2, slots = layers + taken;
  std::vector<int64_t> out(static_cast<size_t>(parts), slots / parts);
  for (int64_t i = 0; i < slots % parts; ++i) ++out[static_cast<size_t>(i)];
  // What the last part cannot give up, the others do, the first one first.
  int64_t over = std::max<int64_t>(0, taken - out.back());
  out.back() -= taken - over;
  for (size_t i = 0; over > 0; i = (i + 1) % out.size())
    if (out[i] > 0) --out[i], --over;
  return out;
}

}  // namespace

int64_t prediction_layers(const Scenario& s) { return s.job.phase == Phase::train ? s.model.mtp : 0; }

std::vector<int64_t> layers_per_part(const Scenario& s) {
  const int64_t parts = s.parallelism.pp * s.parallelism.interleave, layers = s.model.layers;
  if (!s.parallelism.stages.empty()) return s.parallelism.stages;
  if (parts > 1 && prediction_layers(s) > 0) return before_predictions(layers, parts, prediction_layers(s));
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

int64_t part_of(const Scenario& s, int64_t chunk, int64_t stage) {
  return part_at(find_schedule(schedule_name(s))->order, chunk, stage, s.parallelism.pp);
}

bool ends_together(const Scenario& s) {
  return s.parallelism.pp == 1 || find_schedule(schedule_name(s))->order == PartOrder::vee;
}

namespace {

// The blocks of each part of the model, in order: the layers of a part are the next ones of their kinds.
std::vector<Chunk> chunks_of(const Scenario& s, const Workload& w) {
  const std::vector<int64_t> layers = layers_per_part(s);
  std::vector<Chunk> parts(layers.size(), Chunk(w.blocks.size(), 0));
  parts.front().front() = 1;
  parts.back().back() = 1;
  if (prediction_layers(s) > 0) parts.back()[w.blocks.size() - 2] = prediction_layers(s);
  const std::vector<LayerKind> kinds = layer_kinds(s.model);
  int64_t layer = 0;
  for (size_t part = 0; part < parts.size(); ++part)
    for (int64_t i = 0; i < layers[part]; ++i, ++layer) {
      const auto kind = std::find(kinds.begin(), kinds.end(), layer_kind(s.model, layer));
      ++parts[part][static_cast<size_t>(1 + (kind - kinds.begin()))];
    }
  return parts;
}

StageClass stage_of(const Scenario& s, const std::vector<Chunk>& parts, int64_t stage) {
  StageClass c;
  for (int64_t k = 0; k < s.parallelism.interleave; ++k)
    c.chunks.push_back(parts[static_cast<size_t>(part_of(s, k, stage))]);
  return c;
}

// Weight matrices of a chunk's blocks, those of one shape once.
double matrices_of(const Workload& w, const Chunk& held) {
  std::vector<std::pair<int64_t, int64_t>> shapes;
  for (size_t i = 0; i < held.size(); ++i)
    for (const Weight& weight : w.blocks[i].weights)
      if (held[i] > 0 && weight.in > 0 && !weight.frozen) shapes.emplace_back(weight.in, weight.out);
  std::sort(shapes.begin(), shapes.end());
  shapes.erase(std::unique(shapes.begin(), shapes.end()), shapes.end());
  double elements = 0;
  for (const auto& [in, out] : shapes) elements += static_cast<double>(in) * static_cast<double>(out);
  return elements;
}

void count_holdings(const Workload& w, bool shared, StageClass& c) {
  const Chunk held = c.total();
  c.held = w.sum(held, [&](const Block& block) { return block.held(shared); });
  c.trained = w.sum(held, [&](const Block& block) { return block.trained(shared); });
  c.tensors = w.sum(held, [](const Block& block) { return static_cast<double>(block.weights.size()); });
  c.saved_bytes = w.sum(held, [](const Block& block) { return block.saved_bytes(); });
  c.layers = w.sum(held, [](const Block& block) {
    const bool layer = block.kind == BlockKind::layer || block.kind == BlockKind::prediction;
    return layer ? static_cast<double>(block.layers) : 0.0;
  });
  for (size_t i = 0; i < held.size(); ++i)
    if (held[i] > 0)
      c.working_bytes = std::max(c.working_bytes, w.blocks[i].recompute_working_set + w.blocks[i].transient());
  c.matrices = matrices_of(w, held);
}

}  // namespace

int64_t microbatches_of(const Scenario& s) {
  return s.job.global_batch / (s.parallelism.dp * s.parallelism.microbatch);
}

void apply_boundary(const Scenario& s, Workload& w) {
  const Parallelism& p = s.parallelism;
  w.microbatches = microbatches_of(s);
  w.boundary = {};
  w.rejoin = {};
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

void apply_pipeline(const Scenario& s, Workload& w) {
  const std::vector<Chunk> parts = chunks_of(s, w);
  // Where one stage holds both ends the tied head shares the embedding's memory; else both hold a copy.
  const bool shared = ends_together(s);
  for (int64_t stage = 0; stage < s.parallelism.pp; ++stage) {
    StageClass c = stage_of(s, parts, stage);
    auto same = std::find_if(w.classes.begin(), w.classes.end(),
                             [&](const StageClass& other) { return other.chunks == c.chunks; });
    w.class_of_stage.push_back(static_cast<int>(same - w.classes.begin()));
    if (same != w.classes.end()) continue;
    count_holdings(w, shared, c);
    w.classes.push_back(std::move(c));
  }
  apply_boundary(s, w);
}

}  // namespace planner
