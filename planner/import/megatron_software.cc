// What the flags say of the software: differences from the profile megatron-core.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "planner/import/megatron_flags.h"

namespace planner::megatron {
namespace {

/// Puts the field's word; a value without one is left out with a warning.
void put_word(Flags& f, const char* field, std::span<const ProgramWord> words, const std::string& value,
              const char* flag) {
  const std::string ours = ours_of(words, value);
  if (!ours.empty()) f.put(field, ours, flag);
  else f.warn(flag, "'" + value + "' is left out");
}

/// Transformer Engine picks its kernel by default; Megatron's own layers have flash attention only on request.
void attention(Flags& f) {
  if (f.text("--transformer-impl") == "local") {
    const bool flash = f.has("--use-flash-attn");
    return f.put("software.attention", flash ? "flash2" : "unfused", flash ? "--use-flash-attn" : "--transformer-impl");
  }
  const std::string backend = f.text("--attention-backend", "auto");
  if (backend != "auto") put_word(f, "software.attention", kBackends, backend, "--attention-backend");
}

int64_t bytes_of(const std::string& type) {
  constexpr struct {
    const char* name;
    int64_t bytes;
  } kTypes[] = {{"fp32", 4}, {"fp16", 2}, {"bf16", 2}, {"fp8", 1}};
  for (const auto& row : kTypes)
    if (type == row.name) return row.bytes;
  return 4;
}

/// Of a master weight: beside bf16 the other half of fp32 is enough, but scaled weights have their masters apart
/// (megatron/core/optimizer/optimizer_config.py: store_param_remainders).
int64_t master_bytes(const Flags& f) {
  const bool scaled =
      f.has("--fp4-format") || (f.has("--fp8-format") && f.text("--fp8-recipe", "delayed") != "delayed");
  const int64_t whole = bytes_of(f.text("--main-params-dtype", "fp32"));
  return f.has("--bf16") && !scaled ? std::min<int64_t>(whole, 2) : whole;
}

/// Master weights and two moments in types of their own; 16-bit gradients.
void state_bytes(Flags& f) {
  const char* precise = "--use-precision-aware-optimizer";
  if (f.has(precise)) {
    const int64_t bytes =
        master_bytes(f) + bytes_of(f.text("--exp-avg-dtype", "fp32")) + bytes_of(f.text("--exp-avg-sq-dtype", "fp32"));
    f.put("software.memory.optimizer", bytes, precise);
  }
  const bool narrow = f.has(precise) && f.text("--main-grads-dtype") == "bf16";
  const bool reduced = f.has("--grad-reduce-in-bf16");
  const char* wide = "--accumulate-allreduce-grads-in-fp32";  // fp16 alone has the choice; bf16 accumulates in fp32
  if (f.has("--fp16")) f.put("software.reduce_bytes", f.has(wide) ? 4 : 2, wide);
  if (narrow || reduced) f.put("software.memory.gradient", 2, narrow ? "--main-grads-dtype" : "--grad-reduce-in-bf16");
  if (reduced) f.put("software.reduce_bytes", 2, "--grad-reduce-in-bf16");
  if (const int64_t parameters = f.count("--ddp-bucket-size", 0); parameters > 0)
    f.put("software.bucket_bytes",
          fmt::format("{} B", parameters * (reduced || (f.has("--fp16") && !f.has(wide)) ? 2 : 4)),
          "--ddp-bucket-size");
}

/// Parts of a layer are graphs, or the whole step is (megatron/core/transformer/cuda_graph_config.py).
void graphs(Flags& f) {
  const char *kind = "--cuda-graph-impl", *own = "--enable-cuda-graph", *outside = "--external-cuda-graph";
  const char* flag = f.has(kind) ? kind : f.has(own) ? own : outside;
  if (!f.has(flag) || f.text(kind) == "none") return;
  bool is_step = f.text(kind) == "full_iteration";
  for (const char* parts : {"--cuda-graph-scope", "--cuda-graph-modules"})
    for (const ShellWord& word : f.values(parts)) is_step = is_step || word.text == "full_iteration";
  f.put("software.graphs", is_step ? "step" : "static-parts", flag);
}

}  // namespace

void software_rules(Flags& f) {
  if (f.is_deepspeed()) return deepspeed_software(f);
  attention(f);
  if (f.has("--fp8-format") && f.text("--fp8-recipe") != "mxfp8")
    put_word(f, "software.scaling", kRecipes, f.text("--fp8-recipe", "delayed"), "--fp8-recipe");
  const bool fsdp = f.has("--use-torch-fsdp2");  // overlaps by itself
  const char *gradients = "--overlap-grad-reduce", *parameters = "--overlap-param-gather";
  if (!fsdp) f.put("software.overlap.gradients", f.has(gradients) ? "true" : "false", gradients);
  if (!fsdp) f.put("software.overlap.parameters", f.has(parameters) ? "true" : "false", parameters);
  state_bytes(f);
  graphs(f);
  const char *dispatcher = "--moe-token-dispatcher-type", *backend = "--moe-flex-dispatcher-backend";
  if (f.text(dispatcher) == "flex" && f.text(backend) == "hybridep")
    f.put("software.experts.dispatch", "hybrid", backend);
}

}  // namespace planner::megatron
