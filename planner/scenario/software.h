// The training software's execution of the model: fused kernels, overlap, kept memory. A profile is a catalogue file
// (scenarios/software/NAME.yaml).
#pragma once

#include <string>
#include <vector>

#include "dsl/fields.h"
#include "planner/scenario/error_model.h"
#include "planner/scenario/software_habits.h"

namespace planner {

/// Which kernels the software runs as one. False: separate kernels, each through memory.
struct Fusion {
  bool qkv = true;               // one GEMM for Q, K, V
  bool softmax = true;           // scale, mask and softmax in one kernel (unfused attention)
  bool bias_activation = true;   // bias with GeLU or SwiGLU
  bool bias_dropout_add = true;  // bias, dropout and residual
  bool rope = true;
  bool norm = true;           // normalisation in one kernel forward, one backward
  bool norm_passes = true;    // where it is not: three passes; false: a kernel for each operation of its formula
  bool cross_entropy = true;  // loss without an fp32 copy of the logits
  bool gradient_cast = true;  // where they do not: the addition widens the new gradient itself
  bool gradient = true;       // weight-gradient GEMMs add into the gradient buffer themselves
  bool dropout = true;        // dropout in one kernel; false: random numbers, comparison, cast and two products
  bool activation = true;     // GeLU in one kernel; false: one for each operation of x * 1/2 * (1 + erf(x / sqrt 2))
  bool clamp = true;          // bounds of the activation's inputs inside its kernel; false: kernels of their own
  bool heads = true;          // attention reads and writes heads in place; false: copies split and join them
  bool fan_out = true;        // separate projections: no separate kernel adds up their input gradients
  bool recurrent = true;  // LSTM and GRU: inputs of all steps in one product; false: of each step, layers side by side
  bool optimizer = true;  // Adam in one kernel; false: a kernel for each operation on each tensor
  bool vector = false;    // compiler: kernels bound by memory join the kernel whose result they read (passes/fusion.cc)
};

/// Requirements of `parallelism.order` if stages are nearer than data-parallel ranks. equal-shards: experts and the
/// rest have equally many data-parallel ranks (Megatron-Core from 0.11). tensor-only: neither cp nor ep (before).
enum class InnerPipeline { free, equal_shards, tensor_only };

/// Bytes kept per parameter and per GPU, in addition to the model (docs/models.md, memory table).
struct MemoryHabits {
  double weight = 2;               // resident copy
  double frozen = 2;               // the same of a weight that is not trained
  double gradient = 4;             // gradient buffer
  double accumulator = 4;          // element of the buffer that microbatches add into
  double optimizer = 12;           // fp32 master, momentum, variance; divided by the ZeRO group
  double step_copy = 0;            // lives in the optimizer step only; divided by the ZeRO group
  double optimizer_unsharded = 0;  // e.g. an fp32 accumulator outside ZeRO
  double gathered_units = 2;       // FSDP: whole units resident while computing (prefetch)
  bool root_unit = true;           // embedding and head are one unit, gathered all the while; false: each when used
  double dropout_mask = 1;         // bytes per element
  double hidden = 0;               // bytes per saved input of the MLP's activation; 0: as it is computed
  double logits = 8;               // bytes per logit at the peak of the loss
  double parallel_logits = 8;      // the same where each tensor rank holds a part of the vocabulary
  double kept_logits = 0;          // bytes per logit of every microbatch, kept by a pipeline's end until the step's
  double stand_in = 0;             // per element of one unread gradient for each shape of a linear layer's matrix
  bool keeps_gathered = false;     // inputs of tensor-parallel regions kept whole; false: a shard, gathered again
  bool splits_hidden = false;      // tensor ranks each keep a share of the tensors between their regions
  bool late_gradients = false;     // none before the backward pass of a step's only microbatch
  bool keeps_unread = true;        // selective recompute keeps chosen results that no backward pass reads
  dsl::Bytes workspaces;           // of the matrix libraries, from the framework's allocator
  double fragmentation = 1.05;     // reserved / allocated
  dsl::Bytes context;              // driver context and framework
  dsl::Bytes communicators;        // NCCL buffers
};

/// Share of a communication that the software hides when there is work to hide it under.
struct OverlapHabits {
  bool tensor = false;          // tensor-parallel collectives under their GEMMs
  bool tensor_backward = true;  // the input gradient's collective under the weight gradient
  bool gradients = true;        // data-parallel reduction under backward
  bool parameters = true;       // parameter all-gather under forward (and FSDP prefetch)
  bool pipeline = false;        // sends of an interleaved pipeline under compute
  // Share of the theoretical overlap that really occurs: launch order, streams and rendezvous cost the rest.
  double hidden_tensor = 1;   // collectives inside a layer
  double hidden_data = 1;     // gradients and parameters
  double hidden_experts = 1;  // tokens to experts and back
};

/// How tokens travel to their experts and back.
/// all-to-all: one copy for each expert. per-node: one copy for each node, spread inside it (DeepEP). hybrid: the same
/// copies at the rate of an all-to-all (HybridEP). all-gather: every rank of the group gets all tokens.
enum class Dispatch { all_to_all, per_node, all_gather, hybrid };

/// The software's execution of a layer with experts.
struct ExpertHabits {
  Dispatch dispatch = Dispatch::all_to_all;
  double dispatch_bytes = 2;    // per element on the way to the experts
  double combine_bytes = 2;     // and back
  bool grouped = true;          // all experts of a rank in one GEMM kernel; false: a kernel each
  bool permute = true;          // tokens sorted by expert in one kernel
  bool fused_bias = true;       // biases behind the experts inside a kernel; false: split, widened, added, joined
  double router_kernels = 12;   // small kernels of the router, forward
  bool overlap_shared = false;  // dispatch and combine under the shared expert
  bool overlap = false;         // under the compute of another microbatch
  bool keeps_output = false;    // expert outputs kept: the router's weight is applied behind the second GEMM
  dsl::Seconds wait;            // host time of a layer's pass to read token counts back, where none are dropped
  dsl::Seconds narrow_gap;      // around each eight- or four-bit GEMM of one expert, as software.narrow_gap elsewhere
  dsl::Bytes workspaces;        // of matrix libraries for the streams of grouped GEMMs
};

/// Launches that the host makes one by one. static_parts: all but work on routed tokens is a graph; step: the whole
/// step is.
enum class Graphs { none, static_parts, step };

/// Scales of eight-bit tensors: from earlier steps, from the tensor itself (one more pass over it), or of each block.
enum class Scaling { delayed, current, block };

struct Software : ContextHabits, TechniqueHabits {
  std::string name;
  std::string release;       // whose published recipes apply (resolve/recipes.h); empty: none
  std::string attention;     // "unfused", or a row of the calibration
  bool fused_latent = true;  // that kernel takes latent attention, whose keys are wider than its values
  Fusion fusion;
  MemoryHabits memory;
  OverlapHabits overlap;
  ExpertHabits experts;
  Scaling scaling = Scaling::delayed;  // of fp8
  bool narrow_attention = false;       // eight- and four-bit jobs: attention in eight bits
  bool narrow_head = false;            // and the logits
  std::vector<Selective> selective{Selective::core_attention};
  bool recompute_stops = false;  // full recompute ends with the last tensor that the backward pass reads
  std::string schedule;          // pipeline schedule by default
  InnerPipeline inner_pipeline = InnerPipeline::free;
  bool counts_embedding = false;        // stages of a model that predicts further tokens: the embedding is a layer
  bool weighs_stages = false;           // stages are divided by products of layers and head (nanotron); false: evenly
  bool fsdp = false;                    // ZeRO-3 as PyTorch FSDP: fp32 shards, per-unit gathers
  bool reshards_in_pipeline = true;     // also with a pipeline; false: gathers and reduces once a step
  bool scatter_gather = true;           // tensor ranks send a shard each across a stage boundary
  bool reduce_scatter = true;           // ZeRO-1/2 reduce to the owner of a shard; false: everybody gets everything
  bool gather_by_broadcast = false;     // each owner broadcasts its shard in turn instead of one all-gather
  bool pads_gemms = false;              // operands are padded to rows of 16 bytes (torch.compile)
  bool gather_tensors = false;          // ZeRO-3 gathers tensor by tensor, not the whole unit at once
  int64_t persistence = 0;              // and tensors of fewer parameters never: each rank keeps them whole
  bool reduce_each_microbatch = false;  // gradients are reduced after every microbatch
  dsl::Bytes bucket_bytes;              // gradients are reduced in buckets of this size; 0: as they come
  dsl::Bytes partition_bytes;           // pushed to a server at a time, and pulled while the next is; 0: all at once
  bool sums_in_node = false;            // servers: the ranks of a node sum first, and push a part each
  double reduce_bytes = 4;              // bytes per gradient on the wire
  double gather_bytes = 2;              // bytes per parameter on the wire
  double unit_bytes = 0;                // FSDP, per parameter and microbatch: copies of a unit's whole gradient
  double gathered_bytes = 0;            // FSDP, per parameter: copies of a gathered unit out of the gather's buffer
  bool copies_by_rank = false;          // these two copies are a kernel for each rank: collectives of lists of tensors
  bool all_positions = false;           // the masked-LM head predicts every position, not the masked ones alone
  double metric_bytes = 0;              // per logit and microbatch: training metrics computed in addition to the loss
  double optimizer_extra_bytes = 8;     // per parameter: norm, unscale, zeroing
  int64_t optimizer_launch = 0;         // parameters that one launch of a fused optimizer updates; 0: all
  Graphs graphs = Graphs::none;         // work that the host does not launch itself
  dsl::Seconds launch;                  // host time per kernel: a phase takes at least kernels * launch
  dsl::Seconds gap;                     // device idle between kernels, beyond the calibration's launch
  dsl::Seconds narrow_gap;              // around each eight- or four-bit GEMM: amax and scale kernels that no list has
  bool launch_blocking = false;         // the host waits for every kernel: launches add to the kernels
  dsl::Seconds skew;                    // a blocking collective waits so long for its last rank, per doubling of ranks
  dsl::Seconds step_overhead;           // data loader, logging, optimizer host work: per step
  dsl::Seconds microbatch_overhead;     // host work per microbatch
  double vector_slowdown = 1;           // unfused eager kernels
  double straggling = 0;                // loss per doubling of nodes beyond one
  ErrorModel errors;                    // what measured runs of it came to
};

template <class V> void fields(V& v, Fusion& f) {
  v("qkv", f.qkv, {.doc = "one GEMM for Q, K and V"});
  v("softmax", f.softmax, {.doc = "scale, mask and softmax in one kernel"});
  v("bias_activation", f.bias_activation, {.doc = "bias and activation in one kernel"});
  v("bias_dropout_add", f.bias_dropout_add, {.doc = "bias, dropout and residual in one kernel"});
  v("rope", f.rope, {.doc = "rotary embedding in one kernel"});
  v("norm", f.norm, {.doc = "normalisation in one kernel", .descriptive = true});
  v("norm_passes", f.norm_passes,
    {.doc = "where it is not: mean, variance and scaling a pass each; false: a kernel for each operation",
     .descriptive = true});
  v("cross_entropy", f.cross_entropy, {.doc = "loss without an fp32 copy of the logits"});
  v("gradient_cast", f.gradient_cast,
    {.doc = "a separate addition widens the new gradient itself", .descriptive = true});
  v("gradient", f.gradient, {.doc = "weight-gradient GEMMs add into the gradient buffer themselves"});
  v("dropout", f.dropout, {.doc = "dropout in one kernel, not one per operation", .descriptive = true});
  v("activation", f.activation, {.doc = "GeLU in one kernel, not one per operation", .descriptive = true});
  v("clamp", f.clamp, {.doc = "bounds of the activation's inputs inside its kernel", .descriptive = true});
  v("heads", f.heads, {.doc = "attention splits and joins heads without copies", .descriptive = true});
  v("recurrent", f.recurrent,
    {.doc = "LSTM, GRU: the inputs of all steps in one product; false: a product a step", .descriptive = true});
  v("fan_out", f.fan_out, {.doc = "input gradients of separate projections added by their GEMMs", .descriptive = true});
  v("optimizer", f.optimizer, {.doc = "Adam in one kernel, not one per operation and tensor", .descriptive = true});
  v("vector", f.vector, {.doc = "a compiler joins kernels bound by memory that follow one another"});
}
template <class V> void fields(V& v, MemoryHabits& m) {
  v("weight", m.weight, {.least = 0, .doc = "bytes per parameter, resident copy", .descriptive = true});
  v("frozen", m.frozen,
    {.otherwise = "software.memory.weight",
     .least = 0,
     .doc = "bytes per parameter that is not trained (LoRA)",
     .descriptive = true});
  v("gradient", m.gradient, {.least = 0, .doc = "bytes per parameter, gradient buffer", .descriptive = true});
  v("accumulator", m.accumulator,
    {.otherwise = "software.memory.gradient",
     .least = 0,
     .doc = "bytes per element of the buffer that microbatches add into",
     .descriptive = true});
  v("optimizer", m.optimizer,
    {.least = 0, .doc = "bytes per parameter, divided by the ZeRO group", .descriptive = true});
  v("step_copy", m.step_copy,
    {.least = 0,
     .doc = "bytes per parameter in the optimizer step only, divided by the ZeRO group",
     .descriptive = true});
  v("optimizer_unsharded", m.optimizer_unsharded,
    {.least = 0, .doc = "bytes per parameter, never divided", .descriptive = true});
  v("gathered_units", m.gathered_units,
    {.least = 0, .doc = "FSDP units resident while computing", .descriptive = true});
  v("root_unit", m.root_unit,
    {.doc = "FSDP: embedding and head are one unit that stays gathered; false: each is one, gathered while it is used",
     .descriptive = true});
  v("dropout_mask", m.dropout_mask, {.least = 0, .doc = "bytes per element", .descriptive = true});
  v("hidden", m.hidden,
    {.least = 0,
     .doc = "bytes per element of the saved input of the MLP's activation; 0: of the type it is computed in",
     .descriptive = true});
  v("logits", m.logits, {.least = 0, .doc = "bytes per logit at the peak of the loss", .descriptive = true});
  v("parallel_logits", m.parallel_logits,
    {.otherwise = "software.memory.logits",
     .least = 0,
     .doc = "bytes per logit where tensor ranks hold parts of the vocabulary",
     .descriptive = true});
  v("kept_logits", m.kept_logits,
    {.least = 0,
     .doc = "bytes per logit of every microbatch, kept by the last stage of a pipeline to the end of the step",
     .descriptive = true});
  v("stand_in", m.stand_in,
    {.least = 0, .doc = "bytes per element of one unread gradient for each shape of a matrix", .descriptive = true});
  v("keeps_gathered", m.keeps_gathered,
    {.doc = "inputs of tensor-parallel regions kept whole, not as shards to gather again", .descriptive = true});
  v("splits_hidden", m.splits_hidden,
    {.doc = "without sequence parallelism, too, tensor ranks keep a share each of what lies between their regions",
     .descriptive = true});
  v("late_gradients", m.late_gradients,
    {.doc = "gradients of a step's only microbatch take the place of the activations that made them",
     .descriptive = true});
  v("keeps_unread", m.keeps_unread,
    {.doc = "selective recompute keeps chosen results even if no backward pass reads them", .descriptive = true});
  v("workspaces", m.workspaces, {.least = 0, .doc = "of the matrix libraries, in allocated", .descriptive = true});
  v("fragmentation", m.fragmentation, {.least = 1, .doc = "reserved over allocated", .descriptive = true});
  v("context", m.context,
    {.otherwise = "0.75 GiB", .least = 0, .doc = "driver context and framework", .descriptive = true});
  v("communicators", m.communicators,
    {.otherwise = "1.5 GiB", .least = 0, .doc = "communication buffers", .descriptive = true});
}
template <class V> void fields(V& v, OverlapHabits& o) {
  v("tensor", o.tensor, {.doc = "tensor-parallel collectives under their GEMMs"});
  v("tensor_backward", o.tensor_backward,
    {.doc = "the input gradient's collective under the weight gradient", .descriptive = true});
  v("gradients", o.gradients, {.doc = "gradient reduction under backward"});
  v("parameters", o.parameters, {.doc = "parameter gathers under forward"});
  v("pipeline", o.pipeline, {.doc = "sends of an interleaved pipeline under compute"});
  v("hidden_tensor", o.hidden_tensor,
    {.least = 0, .most = 1, .doc = "share of a layer's collectives that work really hides", .descriptive = true});
  v("hidden_data", o.hidden_data,
    {.least = 0, .most = 1, .doc = "the same of gradient and parameter collectives", .descriptive = true});
  v("hidden_experts", o.hidden_experts,
    {.least = 0, .most = 1, .doc = "the same of exchanges with experts", .descriptive = true});
}
template <class V> void fields(V& v, ExpertHabits& e) {
  v("dispatch", e.dispatch, {.doc = "how tokens travel to their experts"});
  v("dispatch_bytes", e.dispatch_bytes,
    {.least = 0, .most = 16, .doc = "per element to the experts", .descriptive = true});
  v("combine_bytes", e.combine_bytes, {.least = 0, .most = 16, .doc = "per element back", .descriptive = true});
  v("grouped", e.grouped, {.doc = "all experts of a rank in one GEMM kernel"});
  v("permute", e.permute, {.doc = "tokens sorted by expert in one kernel"});
  v("fused_bias", e.fused_bias,
    {.doc = "biases behind the experts inside a kernel; false: in fp32, expert by expert", .descriptive = true});
  v("router_kernels", e.router_kernels, {.least = 0, .doc = "small kernels of the router", .descriptive = true});
  v("overlap_shared", e.overlap_shared, {.doc = "dispatch and combine under the shared expert"});
  v("overlap", e.overlap, {.doc = "dispatch and combine under another microbatch"});
  v("keeps_output", e.keeps_output, {.doc = "expert outputs kept for the router's gradient", .descriptive = true});
  v("wait", e.wait,
    {.least = 0,
     .most = 1,
     .doc = "host time of a layer's pass to read back how many tokens each expert has, where none are dropped",
     .descriptive = true});
  v("narrow_gap", e.narrow_gap,
    {.least = 0, .most = 1, .doc = "around each eight- or four-bit GEMM of one expert", .descriptive = true});
  v("workspaces", e.workspaces, {.least = 0, .doc = "of the matrix libraries for grouped GEMMs", .descriptive = true});
}
/// Host times, and parameters fitted to whole steps.
template <class V> void host_fields(V& v, Software& s) {
  v("launch", s.launch, {.least = 0, .most = 1, .doc = "host time per kernel", .descriptive = true});
  v("gap", s.gap,
    {.least = 0, .most = 1, .doc = "device idle between kernels that are in no graph", .descriptive = true});
  v("narrow_gap", s.narrow_gap,
    {.least = 0, .most = 1, .doc = "around each eight- or four-bit GEMM: scales, amax, waits", .descriptive = true});
  v("launch_blocking", s.launch_blocking, {.doc = "the host waits for every kernel", .descriptive = true});
  v("skew", s.skew,
    {.least = 0,
     .most = 1,
     .doc = "wait of a blocking collective for its last rank, per doubling of ranks",
     .descriptive = true});
  v("step_overhead", s.step_overhead, {.least = 0, .most = 1e5, .doc = "host work per step", .descriptive = true});
  v("microbatch_overhead", s.microbatch_overhead,
    {.least = 0, .most = 1e5, .doc = "host work per microbatch", .descriptive = true});
  v("vector_slowdown", s.vector_slowdown, {.least = 1, .doc = "factor on memory-bound kernels", .descriptive = true});
  v("straggling", s.straggling, {.least = 0, .doc = "loss per doubling of nodes", .descriptive = true});
}
/// How gradients and parameters travel.
template <class V> void reduction_fields(V& v, Software& s) {
  v("bucket_bytes", s.bucket_bytes,
    {.least = 0, .doc = "gradients are reduced in buckets of so many; 0 B: as they come"});
  v("partition_bytes", s.partition_bytes,
    {.least = 0,
     .doc = "pushed to a server at a time, pulled while the next is; 0 B: all at once",
     .descriptive = true});
  v("sums_in_node", s.sums_in_node,
    {.doc = "servers: the ranks of a node sum first, and push a part each", .descriptive = true});
  v("reduce_bytes", s.reduce_bytes, {.least = 0, .doc = "bytes per gradient on the wire"});
  v("gather_bytes", s.gather_bytes, {.least = 0, .doc = "bytes per parameter on the wire"});
  v("unit_bytes", s.unit_bytes,
    {.least = 0,
     .doc = "FSDP: traffic of copying a unit's gradient, per parameter and microbatch",
     .descriptive = true});
  v("gathered_bytes", s.gathered_bytes, {.least = 0, .doc = "FSDP: copies of what is gathered", .descriptive = true});
  v("copies_by_rank", s.copies_by_rank,
    {.doc = "unit_bytes and gathered_bytes are a kernel for each rank, not one for all", .descriptive = true});
}
template <class V> void fields(V& v, Software& s) {
  v("name", s.name, {.doc = "catalogue name", .descriptive = true});
  v("release", s.release,
    {.doc = "release whose published recipes apply: 25.09, 26.02.01, 24.x, any; empty: none", .descriptive = true});
  v("attention", s.attention, {.otherwise = "flash2", .doc = "attention kernel: unfused, or a row of the calibration"});
  v("fused_latent", s.fused_latent,
    {.doc = "the kernel takes latent attention, whose keys are wider than its values", .descriptive = true});
  v.section("fusion", s.fusion);
  v.section("memory", s.memory);
  v.section("overlap", s.overlap);
  v.section("experts", s.experts);
  fields(v, static_cast<TechniqueHabits&>(s));
  v("narrow_attention", s.narrow_attention, {.doc = "8- and 4-bit jobs: attention in 8 bits"});
  v("narrow_head", s.narrow_head, {.doc = "8-bit jobs compute the logits in 8 bits too"});
  v("scaling", s.scaling, {.doc = "how fp8 tensors get their scales"});
  v("selective", s.selective,
    {.otherwise = "core-attention", .doc = "what selective recompute runs again: modules, or one policy of a layer"});
  v("recompute_stops", s.recompute_stops,
    {.doc = "repeating a layer ends with the last tensor that its backward pass reads", .descriptive = true});
  fields(v, static_cast<ContextHabits&>(s));
  v("schedule", s.schedule, {.otherwise = "1f1b", .doc = "pipeline schedule by default"});
  v("inner_pipeline", s.inner_pipeline,
    {.doc = "what an order asks whose stages are nearer than data-parallel ranks", .descriptive = true});
  v("counts_embedding", s.counts_embedding,
    {.doc = "with prediction layers, stages are split as if the embedding were a layer", .descriptive = true});
  v("weighs_stages", s.weighs_stages,
    {.doc = "layers are dealt to stages by the work of layers and head, not evenly", .descriptive = true});
  v("fsdp", s.fsdp, {.doc = "fp32 shards gathered unit by unit"});
  v("reshards_in_pipeline", s.reshards_in_pipeline,
    {.doc = "FSDP beside a pipeline gathers and reduces in every microbatch, not once a step"});
  v("scatter_gather", s.scatter_gather, {.doc = "tensor ranks send a shard each across a stage boundary"});
  v("reduce_scatter", s.reduce_scatter, {.doc = "ZeRO-1/2 reduce to the owner of a shard, not to everybody"});
  v("pads_gemms", s.pads_gemms, {.doc = "operands of GEMMs are padded to rows of 16 bytes", .descriptive = true});
  v("gather_tensors", s.gather_tensors,
    {.doc = "ZeRO-3 gathers parameters tensor by tensor (DeepSpeed), not a unit at once", .descriptive = true});
  v("persistence", s.persistence,
    {.least = 0,
     .most = 1e12,
     .doc = "with gather_tensors: tensors of fewer parameters stay whole on every rank",
     .descriptive = true});
  v("gather_by_broadcast", s.gather_by_broadcast,
    {.doc = "each owner broadcasts its shard in turn", .descriptive = true});
  v("reduce_each_microbatch", s.reduce_each_microbatch, {.doc = "gradients reduced after every microbatch"});
  reduction_fields(v, s);
  v("all_positions", s.all_positions,
    {.doc = "the masked-LM head predicts every position, not the masked ones alone", .descriptive = true});
  v("metric_bytes", s.metric_bytes,
    {.least = 0, .doc = "traffic per logit and microbatch of training metrics", .descriptive = true});
  v("optimizer_launch", s.optimizer_launch,
    {.least = 0, .doc = "parameters that one launch of an optimizer takes; 0: all", .descriptive = true});
  v("optimizer_extra_bytes", s.optimizer_extra_bytes,
    {.least = 0, .doc = "per parameter: norm, unscale, zeroing", .descriptive = true});
  v("graphs", s.graphs, {.doc = "what runs as a CUDA graph, without launches by the host"});
  host_fields(v, s);
  v.section("errors", s.errors);
}

}  // namespace planner
