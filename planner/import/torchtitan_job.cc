// What the configuration says of the job: batches, length, precision, optimizer, recompute; and of compiling.
#include <fmt/format.h>

#include <algorithm>

#include "dsl/raw_text.h"
#include "planner/import/field_tree.h"
#include "planner/import/torchtitan_config.h"
#include "planner/import/torchtitan_flavors.h"
#include "planner/import/torchtitan_table.h"

namespace planner::torchtitan {
namespace {

constexpr const char *kLocal = "training.local_batch_size", *kGlobal = "training.global_batch_size",
                     *kPiece = "parallelism.pipeline_parallel_microbatch_size",
                     *kPieces = "parallelism.pipeline_parallel_microbatches", *kConverters = "model.converters",
                     *kParam = "training.mixed_precision_param", *kReduce = "training.mixed_precision_reduce",
                     *kDtype = "training.dtype";

/// A pipeline splits the local batch; without one it is a microbatch.
void microbatch(Settings& c, const TitanDegrees& d, int64_t local) {
  if (d.pp == 1) return put_said(c, "parallelism.microbatch", std::to_string(local), kLocal);
  const char* key = c.has(kPieces) ? kPieces : kPiece;
  const int64_t number = said_count(c, key);
  if (local % number != 0)
    return c.error(key, fmt::format("{} {} is no multiple of {} {}", c.written(kLocal), local, c.written(key), number));
  put_said(c, "parallelism.microbatch", std::to_string(c.has(kPieces) ? local / number : number), key);
}

void model(Settings& c) {
  if (c.flags.field("model.use")) return;
  const std::string name = said(c, "model.name"), flavor = said(c, "model.flavor");
  for (const TorchtitanFlavor& row : torchtitan_flavors())
    if (name == row.name && flavor == row.flavor) return put_said(c, "model.use", row.ours, "model.flavor");
  c.flags.leave_open("model.use", fmt::format("a model of `trainplan list model`, or hf:PATH with its config.json, for "
                                              "{} {}",
                                              dsl::shortened(name), dsl::shortened(flavor)));
}

/// What each converter makes of the matrices; "": it has no counterpart.
const char* precision_of(const std::string& converter) {
  if (converter == "float8" || converter == "quantize.linear.float8") return "fp8";
  if (converter == "mx" || converter == "quantize.linear.mx") return "mxfp8";
  if (converter == "nvfp4") return "nvfp4";
  return "";
}

std::string narrow_precision(Settings& c, const char* key) {
  std::string found;
  for (const std::string& converter : words_of(c.find(key))) {
    const std::string precision = precision_of(converter);
    if (precision.empty())
      c.warn(key, "'" + dsl::shortened(converter) + "' has no counterpart in a plan and is left out");
    else if (!found.empty() && found != precision) c.error(key, "float8 and mx exclude each other");
    else found = precision;
  }
  return found;
}

/// Scales of whole tensors, of the step itself or of those before it.
void scaling(Settings& c) {
  const char *recipe = "float8.recipe_name", *before = "float8.scaling_type_input";
  const bool delayed = c.text(before) == "delayed";
  if (delayed) c.put("software.scaling", "delayed", before);
  else put_said(c, "software.scaling", "current", recipe);
  if (!delayed && said(c, recipe) != "tensorwise")
    c.warn(recipe, "'" + dsl::shortened(c.text(recipe)) + "' is planned as tensorwise");
  const char* gather = "float8.enable_fsdp_float8_all_gather";
  if (c.is_true(gather)) c.put("software.gather_bytes", "1", gather);
}

/// FSDP casts what it gathers, and AMP what a job of replicas alone computes; beside tensor or pipeline ranks there is
/// no AMP (maybe_enable_amp in torchtitan/distributed/utils.py).
bool mixes_precision(const TitanDegrees& d) {
  return d.always_mixes || d.shard != 1 || d.cp > 1 || (d.tp == 1 && d.pp == 1);
}

/// Types other than the default, as far as they are not the plan's own.
void other_types(Settings& c, bool mixes) {
  if (!mixes && c.has(kParam))
    c.warn(kParam, "no effect: without FSDP torchtitan mixes no types beside tensor or pipeline ranks",
           "data_parallel_shard_degree above 1");
  if (!mixes && said(c, kDtype) == "bfloat16")
    c.warn(kDtype, "parameters that are bfloat16 throughout are planned with float32 masters");
  for (const char* key : {kDtype, kReduce})
    if (said(c, key) != default_of(key) && (mixes || key == kReduce))
      c.warn(key, "'" + dsl::shortened(c.text(key)) + "' has no counterpart in a plan: planned as " + default_of(key));
}

void precision(Settings& c, const TitanDegrees& d) {
  const bool mixes = mixes_precision(d);
  const char *key = mixes ? kParam : kDtype, *linear = "float8.enable_float8_linear";
  const std::string type = said(c, key);
  if (type != "bfloat16" && type != "float32")
    return c.error(key, "unknown type '" + dsl::shortened(type) + "'", "known: bfloat16, float32");
  std::string narrow = narrow_precision(c, kConverters);
  const bool old = narrow.empty() && c.is_true(linear);
  if (old) narrow = "fp8";
  const char* why = mixes ? "default of torchtitan" : "default of torchtitan, which mixes no types without FSDP";
  if (!narrow.empty()) c.put("job.precision", narrow, old ? linear : kConverters);
  else c.put("job.precision", type == "float32" ? "fp32" : "bf16", key, c.has(key) ? "" : why);
  if (narrow == "fp8") scaling(c);
  if (narrow == "mxfp8" && !said(c, "mx.recipe_name").starts_with("mxfp8"))
    c.warn("mx.recipe_name", "'" + dsl::shortened(c.text("mx.recipe_name")) + "' is planned as mxfp8");
  other_types(c, mixes);
}

void optimizer(Settings& c) {
  const char *key = "optimizer.name", *how = "optimizer.implementation";
  const std::string name = said(c, key);
  put_said(c, "job.optimizer", "adam", key);
  if (name != "AdamW" && name != "Adam") c.warn(key, "'" + dsl::shortened(name) + "' is planned as adam");
  if (said(c, how) != "fused") c.warn(how, "'" + dsl::shortened(c.text(how)) + "' is planned as fused");
}

void recompute(Settings& c) {
  const char *key = "activation_checkpoint.mode", *option = "activation_checkpoint.selective_ac_option";
  const std::string mode = said(c, key), which = said(c, option);
  if (mode == "memory_budget") c.warn(key, "what a memory budget repeats is left out: planned without recompute");
  else if (mode != "none" && mode != "full" && mode != "selective")
    return c.error(key, "unknown mode '" + dsl::shortened(mode) + "'", "known: none, full, selective");
  const bool all = mode == "full" || (mode == "selective" && which == "1");
  const bool part = mode == "selective" && !all;
  put_said(c, "parallelism.recompute",
           all    ? "full"
           : part ? "selective"
                  : "none",
           all && mode != "full" ? option : key);
  if (!part) return;
  put_said(c, "software.selective", which == "op" ? "every-second-matmul" : "every-second-layer", option);
  if (which != "op" && which != "2")
    c.warn(option, "'" + dsl::shortened(which) + "' is planned as every second layer", "op, 1 or 2");
}

}  // namespace

void batch_rules(Settings& c, const TitanDegrees& d) {
  const int64_t local = said_count(c, kLocal);
  microbatch(c, d, local);
  if (said(c, kGlobal) == "-1")
    return c.put("job.global_batch", fmt::format("{} * parallelism.dp", local), kLocal, "of each data-parallel rank");
  const int64_t global = said_count(c, kGlobal);
  c.put("job.global_batch", std::to_string(global), kGlobal);
  if (d.shard == 0) return;
  const double ranks = static_cast<double>(d.dp()),
               each = static_cast<double>(global) / ranks / static_cast<double>(local);
  if (each != static_cast<double>(static_cast<int64_t>(each)))
    return c.error(kGlobal, fmt::format("{} {} is no multiple of {} {} x {:.0f} data-parallel ranks",
                                        c.written(kGlobal), global, c.written(kLocal), local, ranks));
  if (d.pp > 1 && each > 1)
    c.warn(kGlobal, fmt::format("{:.0f} local batches are planned as one run through the pipeline", each));
}

void job_rules(Settings& c, const TitanDegrees& d) {
  model(c);
  put_said(c, "job.sequence", std::to_string(said_count(c, "training.seq_len")), "training.seq_len");
  if (c.has("training.steps"))
    c.put("job.tokens", fmt::format("{} * job.global_batch * job.sequence", said_count(c, "training.steps")),
          "training.steps");
  precision(c, d);
  optimizer(c);
  recompute(c);
  const char* host = "training.enable_cpu_offload";
  if (!c.is_true(host)) return;
  c.put("parallelism.offload.optimizer", "1", host);
  c.put("parallelism.offload.weights", "1", host);
}

void software_rules(Settings& c, const TitanDegrees& d) {
  const char *compile = "compile.enable", *parts = "compile.components",
             *async = "parallelism.enable_async_tensor_parallel",
             *dispatch = "parallelism.expert_parallel_comm_backend";
  const std::vector<std::string> components = words_of(c.find(parts));
  const bool model = !c.has(parts) || std::ranges::find(components, "model") != components.end();
  const bool compiled = c.is_true(compile) && model, overlaps = c.is_true(async) && d.tp > 1;
  if (overlaps && !compiled) c.warn(async, "'" + c.written(async) + "' has no effect on what is not compiled");
  if (overlaps && compiled) c.put("software.use", "torchtitan-asynctp", async);
  else put_said(c, "software.use", compiled ? "torchtitan-compile" : "torchtitan", compile);
  const char* eager = "training.disable_cuda_graphs";
  if (c.has(eager)) c.put("software.graphs", c.is_true(eager) ? "none" : "step", eager);
  if (c.has(dispatch) && c.text(dispatch) != "standard")
    c.warn(dispatch, "'" + dsl::shortened(c.text(dispatch)) + "' is planned as PyTorch's all-to-all");
}

}  // namespace planner::torchtitan
