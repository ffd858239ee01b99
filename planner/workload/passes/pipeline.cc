// Pipeline parallelism: which stage and chunk holds which layers, and what crosses a boundary.
#include <algorithm>
#include <cmath>
#include <utility>

#include "planner/schedule/schedule.h"
#include "planner/workload/partition.h"
#include "planner/workload/passes/passes.h"
#include "planner/workload/placement.h"

namespace planner {
namespace {

// The last part holds prediction layers, head and loss, which take the slots of as many layers and two more
// (the layouts of 61 layers that Megatron-Bridge publishes for 4 to 32 parts). Where the embedding counts as a layer
// of the first part, the last one gives up a slot less (NeMo's account_for_embedding_in_pipeline_split).
std::vector<int64_t> before_predictions(int64_t layers, int64_t parts, int64_t predictions, bool counts_embedding) {
  const int64_t first = counts_embedding ? 1 : 0, taken = predictions + 2 - first, slots = layers + predictions + 2;
  std::vector<int64_t> out(static_cast<size_t>(parts), slots / parts);
  for (int64_t i = 0; i < slots % parts; ++i) ++out[static_cast<size_t>(i)];
  out.front() -= std::min(first, out.front());
  // What the last part cannot give up, the others do, the first one first.
  int64_t over = std::max<int64_t>(0, taken - out.back());
  out.back() -= taken - over;
  for (size_t i = 0; over > 0; i = (i + 1) % out.size())
    if (out[i] > 0) --out[i], --over;
  return out;
}

// A part ends with the first block beyond its share of all work (nanotron models/base.py, build_model); of a layer as
// its models count it (models/llama.py, get_block_compute_costs), of the head its matrix.
std::vector<int64_t> by_work(const Model& m, int64_t parts) {
  const auto product = [](int64_t a, int64_t b) { return static_cast<double>(a) * static_cast<double>(b); };
  const double layer = 4 * product(m.heads * m.head_dim, m.hidden) + (m.gated_mlp ? 3 : 2) * product(m.ffn, m.hidden);
  const double all = layer * static_cast<double>(m.layers) + product(m.vocab, m.hidden);
  std::vector<int64_t> out(static_cast<size_t>(parts), 0);
  size_t part = 0;
  for (int64_t i = 0; i < m.layers; ++i) {
    ++out[part];
    const double done = layer * static_cast<double>(i + 1),
                 share = static_cast<double>(part + 1) / static_cast<double>(parts);
    if (part + 1 < out.size() && done > all * share) ++part;
  }
  return out;
}

// The blocks of each part of the model, in order: the layers of a part are the next ones of their kinds.
std::vector<Chunk> chunks_of(const Scenario& s, size_t blocks) {
  const std::vector<int64_t> layers = layers_per_part(s);
  std::vector<Chunk> parts(layers.size(), Chunk(blocks, 0));
  parts.front().front() = 1;
  parts.back().back() = 1;
  if (prediction_layers(s) > 0) parts.back()[blocks - 2] = prediction_layers(s);
  const std::vector<LayerKind> kinds = layer_kinds(s.model), all = layers_of(s.model);
  size_t layer = 0;
  for (size_t part = 0; part < parts.size(); ++part)
    for (int64_t i = 0; i < layers[part]; ++i, ++layer) {
      const auto kind = std::find(kinds.begin(), kinds.end(), all[layer]);
      ++parts[part][static_cast<size_t>(1 + (kind - kinds.begin()))];
    }
  return parts;
}

// Where `item` is in the list; at its end, if it is new.
template <class T> size_t find_or_add(std::vector<T>& list, T item) {
  const auto found = std::find(list.begin(), list.end(), item);
  const auto at = static_cast<size_t>(found - list.begin());
  if (found == list.end()) list.push_back(std::move(item));
  return at;
}

void add(Chunk& sum, const Chunk& more) {
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
}

BlockHoldings held_of(const Block& block) {
  BlockHoldings h{{.repeated_bytes = block.recompute_working_set,
                   .transient_bytes = block.transient(),
                   .kept_bytes = block.kept.bytes},
                  {block.held(false), block.held(true)},
                  {block.trained(false), block.trained(true)}};
  if (block.is_layer()) h.layers = static_cast<double>(block.layers);
  h.tensors = static_cast<double>(block.weights.size());
  for (const Saved& saved : block.saved) {
    (saved.of_layers > 1 ? h.shared_bytes : h.saved_bytes) += saved.bytes;
    h.of_layers = std::max(h.of_layers, static_cast<double>(saved.of_layers));
  }
  for (const Weight& w : block.weights)
    if (w.in > 0 && !w.frozen) find_or_add(h.matrices, HeldMatrix{w.in, w.out, 0});
  return h;
}

bool has_shape(const BlockHoldings& block, const HeldMatrix& m) {
  return std::ranges::any_of(block.matrices, [&](const HeldMatrix& o) { return o.in == m.in && o.out == m.out; });
}

// Layers of a chunk that are recomputed together: their kept tensors once, and all that is alive then.
void hold_together(const std::vector<BlockHoldings>& blocks, const Chunk& chunk, StageHoldings& sum) {
  double layers = 0, repeated = 0;
  BlockHoldings most;
  for (size_t i = 0; i < chunk.size(); ++i) {
    const BlockHoldings& b = blocks[i];
    if (b.of_layers == 1 || chunk[i] == 0) continue;
    layers += static_cast<double>(chunk[i]);
    repeated += static_cast<double>(chunk[i]) * b.repeated_bytes;
    most.of_layers = b.of_layers;
    most.shared_bytes = std::max(most.shared_bytes, b.shared_bytes);
    most.repeated_bytes = std::max(most.repeated_bytes, b.repeated_bytes);
    most.transient_bytes = std::max(most.transient_bytes, b.transient_bytes);
  }
  sum.saved_bytes += std::ceil(layers / most.of_layers) * most.shared_bytes;
  const double together = std::min(layers, most.of_layers);
  // The inputs of all but the first are rebuilt as well.
  const double rebuilt = std::min(together * most.repeated_bytes, repeated) + (together - 1) * most.shared_bytes;
  sum.working_bytes = std::max(sum.working_bytes, rebuilt + most.transient_bytes);
}

// Residual streams, or sums of earlier parts, that a layer hands to the next: those of the widest kind.
double streams_of(const Model& m) {
  double streams = 1;
  for (const LayerRow& row : m.kinds)
    streams = std::max({streams, static_cast<double>(row.streams), attended_sums(m, row)});
  return streams;
}

}  // namespace

int64_t prediction_layers(const Scenario& s) { return s.job.phase == Phase::train ? s.model.mtp : 0; }

std::vector<int64_t> layers_per_part(const Scenario& s) {
  const int64_t parts = s.parallelism.pp * s.parallelism.interleave, layers = s.model.layers;
  if (!s.parallelism.stages.empty()) return s.parallelism.stages;
  if (parts > 1 && prediction_layers(s) > 0)
    return before_predictions(layers, parts, prediction_layers(s), s.software.counts_embedding);
  if (parts > 1 && s.software.weighs_stages) return by_work(s.model, parts);
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

std::string schedule_name(const Scenario& s) {
  if (!s.parallelism.schedule.empty()) return s.parallelism.schedule;
  const ScheduleRow* habit = find_schedule(s.software.schedule);
  const bool fixed = habit && habit->chunks > 0, split = habit && habit->splits_backward;
  if (split && s.job.phase == Phase::forward) return s.parallelism.interleave > 1 ? "interleaved" : "1f1b";
  if (fixed ? habit->chunks == s.parallelism.interleave : s.parallelism.interleave == 1) return s.software.schedule;
  return s.parallelism.interleave > 1 ? "interleaved" : "1f1b";
}

bool ends_together(const Scenario& s) {
  return s.parallelism.pp == 1 || find_schedule(schedule_name(s))->order == PartOrder::vee;
}

StageDeal deal_stages(const Scenario& s, const std::vector<Block>& blocks) {
  StageDeal deal;
  deal.model.resize(blocks.size());
  std::vector<size_t> part_chunks;
  for (Chunk& part : chunks_of(s, blocks.size())) {
    add(deal.model, part);
    part_chunks.push_back(find_or_add(deal.chunks, std::move(part)));
    if (deal.parts.empty() || deal.parts.back().chunk != part_chunks.back())
      deal.parts.push_back({0, part_chunks.back()});
    ++deal.parts.back().count;
  }
  deal.schedule = find_schedule(schedule_name(s));
  const PartOrder order = deal.schedule->order;
  deal.ends_together = s.parallelism.pp == 1 || order == PartOrder::vee;
  for (int64_t stage = 0; stage < s.parallelism.pp; ++stage) {
    StageDeal::StageKind kind{.total = Chunk(blocks.size(), 0)};
    for (int64_t k = 0; k < s.parallelism.interleave; ++k) {
      kind.chunks.push_back(part_chunks[static_cast<size_t>(part_at(order, k, stage, s.parallelism.pp))]);
      add(kind.total, deal.chunks[kind.chunks.back()]);
    }
    deal.class_of_stage.push_back(static_cast<int>(find_or_add(deal.classes, std::move(kind))));
  }
  return deal;
}

std::vector<BlockHoldings> holdings_of(const std::vector<Block>& blocks) {
  std::vector<BlockHoldings> all;
  all.reserve(blocks.size());
  for (const Block& block : blocks) {
    BlockHoldings h = held_of(block);
    for (HeldMatrix& m : h.matrices)
      for (size_t i = 0; i < all.size(); ++i)
        if (has_shape(all[i], m)) m.before |= uint64_t{1} << i;
    all.push_back(std::move(h));
  }
  return all;
}

double kept_microbatches(const Scenario& s) {
  return s.parallelism.pp > 1 ? static_cast<double>(microbatches_of(s) - 1) : 0;
}

StageHoldings holdings_of(const std::vector<BlockHoldings>& blocks, const StageDeal& deal,
                          const StageDeal::StageKind& kind, double kept) {
  const Chunk& held = kind.total;
  StageHoldings sum;
  uint64_t before = 0;
  bool together = false;
  for (size_t i = 0; i < held.size(); ++i) {
    if (held[i] == 0) continue;
    const BlockHoldings& b = blocks[i];
    const double count = static_cast<double>(held[i]);
    sum.held += count * b.held[deal.ends_together ? 1 : 0];
    sum.trained += count * b.trained[deal.ends_together ? 1 : 0];
    sum.layers += count * b.layers;
    sum.tensors += count * b.tensors;
    sum.saved_bytes += count * b.saved_bytes;
    sum.working_bytes = std::max(sum.working_bytes, b.repeated_bytes + b.transient_bytes + kept * b.kept_bytes);
    together |= b.of_layers > 1;
    for (const HeldMatrix& m : b.matrices)
      if ((m.before & before) == 0) sum.matrices += static_cast<double>(m.in) * static_cast<double>(m.out);
    before |= uint64_t{1} << i;
  }
  for (size_t i = 0; together && i < kind.chunks.size(); ++i) hold_together(blocks, deal.chunks[kind.chunks[i]], sum);
  return sum;
}

int64_t microbatches_of(const Scenario& s) {
  return s.job.global_batch / (s.parallelism.dp * s.parallelism.microbatch);
}

Boundary boundary_of(const Scenario& s, double width_bytes) {
  const Parallelism& p = s.parallelism;
  Boundary b;
  if (p.pp == 1) return b;
  // Each tensor rank sends its shard: with sequence parallelism that is all it has, without it
  // Megatron scatters before and gathers after the boundary (Narayanan et al. 2021, section 4.1).
  const double tokens = static_cast<double>(p.microbatch * s.job.sequence / p.cp);
  const double bytes = width_bytes * tokens * static_cast<double>(s.model.hidden) * streams_of(s.model);
  const bool scattered = p.sequence_parallel || s.software.scatter_gather;
  b.boundary = {.bytes = {bytes / (scattered ? static_cast<double>(p.tp) : 1)},
                .tier = pipeline_tier(s),
                .along_rail = along_rails(s)};
  if (s.software.scatter_gather && !p.sequence_parallel && p.tp > 1)
    b.rejoin = {.kind = operator_models::CollectiveKind::all_gather, .bytes = {bytes}, .group = tensor_group(s)};
  return b;
}

void apply_pipeline(const Scenario& s, Workload& w) {
  w.deal = deal_stages(s, w.blocks);
  w.class_of_stage = w.deal.class_of_stage;
  const std::vector<BlockHoldings> blocks = holdings_of(w.blocks);
  w.classes.clear();
  for (const StageDeal::StageKind& kind : w.deal.classes) {
    StageClass c{holdings_of(blocks, w.deal, kind, kept_microbatches(s)), {}, {}};
    for (size_t chunk : kind.chunks) c.chunks.push_back(w.deal.chunks[chunk]);
    w.classes.push_back(std::move(c));
  }
  w.microbatches = microbatches_of(s);
  static_cast<Boundary&>(w) = boundary_of(s, w.width_bytes);
}

}  // namespace planner
