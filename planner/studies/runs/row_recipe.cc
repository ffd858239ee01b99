// What the published performance recipes of a release set, and no column of a row says. Each row is a statement of a
// recipe's source code, never of a measurement; a later row overrides an earlier one.
#include <array>
#include <cstdlib>

#include "planner/studies/runs/row_scenario.h"

namespace planner {
namespace {

/// Empty words fit anything; words are parts of the lower-case cell. Releases are year, month and patch.
struct Recipe {
  const char* software;
  int first, last;  // releases; 0: any
  const char *gpu, *model, *precision, *task;
  int64_t parts;  // pp x interleave; 0: any
  const char *field, *value;
};

constexpr const char* kAny = "";
constexpr const char* kSquad = "205";  // assumed: tokens of an example of SQuAD 1.1
const std::array kRecipes{
    // Megatron-LM of 2020 (the GPT-2 scaling rows): mpu/layers.py copies, reduces and only then multiplies; the
    // all-reduce beside the weight gradient (ColumnParallelLinearWithAsyncAllreduce) came in late 2021.
    Recipe{"megatron-2021", 0, 0, kAny, "gpt2", kAny, kAny, 0, "software.overlap.tensor_backward", "false"},
    // Megatron-Bridge, recipes/deepseek/deepseek_v3.py and scripts/performance/configs/deepseek: selective recompute of
    // mla_up_proj. Its layouts of 61 layers are the default (pipeline.cc).
    Recipe{"megatron-bridge", 0, 0, kAny, "deepseek", kAny, kAny, 0, "parallelism.recompute", "selective"},
    Recipe{"megatron-bridge", 0, 0, kAny, "deepseek", kAny, kAny, 0, "software.selective", "latent-up"},
    // 25.09: tokens beyond an even share are dropped (apply_moe_token_drop) and sent by plain all-to-all - but for
    // DeepSeek-V3 on H100: dropless DeepEP, exchanges under another microbatch (a2a_1f1b).
    Recipe{"megatron-bridge", 250900, 250999, kAny, "qwen3", kAny, kAny, 0, "job.routing.capacity", "1"},
    Recipe{"megatron-bridge", 250900, 250999, "b200", "deepseek", kAny, kAny, 0, "job.routing.capacity", "1"},
    Recipe{"megatron-bridge", 250900, 250999, kAny, "qwen3", kAny, kAny, 0, "software.experts.dispatch", "all-to-all"},
    Recipe{"megatron-bridge", 250900, 250999, "b200", "deepseek", kAny, kAny, 0, "software.experts.dispatch",
           "all-to-all"},
    Recipe{"megatron-bridge", 250900, 260199, "h100", "deepseek", kAny, kAny, 0, "software.experts.overlap", "true"},
    // 25.11: no prediction layer on GB200 and GB300 (docs/performance-summary.md: "w/o MTP"); all-to-all for Qwen3 on
    // eight GPUs a node; GB300 repeats the experts' activation.
    Recipe{"megatron-bridge", 251100, 251199, "gb", "deepseek-v3", kAny, kAny, 0, "model.mtp", "0"},
    Recipe{"megatron-bridge", 251100, 251199, "gb300", "deepseek", kAny, kAny, 0, "software.selective",
           "expert-activation"},
    Recipe{"megatron-bridge", 251100, 251199, "h100", "qwen3", kAny, kAny, 0, "software.experts.dispatch",
           "all-to-all"},
    // 25.11 on: attention, router and preprocessing are graphs, but for DeepSeek-V3 on B200, B300 and H100 and Qwen3 on
    // H100.
    Recipe{"megatron-bridge", 251100, 999999, "gb", "deepseek", kAny, kAny, 0, "software.graphs", "static-parts"},
    Recipe{"megatron-bridge", 251100, 999999, "gb", "qwen3", kAny, kAny, 0, "software.graphs", "static-parts"},
    Recipe{"megatron-bridge", 260200, 999999, "b200", "qwen3", kAny, kAny, 0, "software.graphs", "static-parts"},
    Recipe{"megatron-bridge", 260200, 999999, "b300", "qwen3", kAny, kAny, 0, "software.graphs", "static-parts"},
    // 26.06 on: MXFP8 steps are one CUDA graph, exchanges hide under another microbatch.
    Recipe{"megatron-bridge", 260600, 999999, "gb", "deepseek", "mxfp8", kAny, 0, "software.use",
           "megatron-bridge-graphs"},
    Recipe{"megatron-bridge", 260600, 999999, "b300", "deepseek", "mxfp8", kAny, 16, "software.use",
           "megatron-bridge-graphs"},
    // B200 from 26.04.01 on: eight stages of two chunks, exchanges under another microbatch.
    Recipe{"megatron-bridge", 260401, 999999, "b200", "deepseek", kAny, kAny, 16, "software.experts.overlap", "true"},
    Recipe{"megatron-bridge", 260600, 999999, kAny, "qwen3", "mxfp8", kAny, 0, "software.use",
           "megatron-bridge-graphs"},
    Recipe{"megatron-bridge", 260600, 999999, kAny, kAny, "mxfp8", kAny, 0, "software.graphs", "step"},
    Recipe{"megatron-bridge", 260600, 999999, "gb300", "deepseek", "mxfp8", kAny, 0, "parallelism.recompute", "none"},
    Recipe{"megatron-bridge", 260600, 999999, "gb200", "deepseek", "mxfp8", kAny, 0, "software.narrow_attention",
           "false"},
    // NeMo 25.02 and 25.04, scripts/performance/llm/pretrain_deepseek_v3.py and recommended_model_configs: token drop,
    // plain all-to-all; Mixtral as one graph on Blackwell.
    Recipe{"nemo", 0, 0, kAny, "deepseek", kAny, kAny, 0, "job.routing.capacity", "1"},
    Recipe{"nemo", 0, 0, kAny, "mixtral", kAny, kAny, 0, "job.routing.capacity", "1"},
    Recipe{"nemo", 0, 0, kAny, "deepseek", kAny, kAny, 0, "parallelism.recompute", "selective"},
    Recipe{"nemo", 0, 0, "h100", "deepseek", kAny, kAny, 0, "software.selective", "latent-up"},
    Recipe{"nemo", 0, 0, kAny, "deepseek-v3", kAny, kAny, 4, "parallelism.stages", "[15, 16, 16, 14]"},
    Recipe{"nemo", 0, 0, kAny, "deepseek-v3", kAny, kAny, 8, "parallelism.stages", "[7, 8, 8, 8, 8, 8, 8, 6]"},
    Recipe{"nemo", 0, 0, kAny, "deepseek-v3", kAny, kAny, 16, "parallelism.stages",
           "[3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 2]"},
    Recipe{"nemo", 0, 0, "b200", "mixtral", kAny, kAny, 0, "software.graphs", "step"},
    // Releases of 2024 (scenarios/software/nemo-24.yaml).
    Recipe{"nemo", 240000, 249999, kAny, kAny, kAny, kAny, 0, "software.use", "nemo-24"},
    // NeMo-Framework-Launcher: examples/README.md leaves out the chunks of a stage that 24.03's scripts set
    // (examples/training/gpt/h100/175b_fp8_16node.sh, launcher_scripts/conf/training/llama; LLaMA2-13B as in 24.07).
    Recipe{"nemo", 240300, 240399, kAny, "gpt3-175b", kAny, "pretrain", 8, "parallelism.interleave", "12"},
    Recipe{"nemo", 240300, 240399, kAny, "llama2-13b", kAny, "pretrain", 4, "parallelism.interleave", "10"},
    Recipe{"nemo", 240300, 240399, kAny, "llama2-70b", kAny, "pretrain", 4, "parallelism.interleave", "20"},
    Recipe{"nemo", 240300, 240399, kAny, "llama3-70b", kAny, "pretrain", 4, "parallelism.interleave", "5"},
    // The same of 24.07's fine-tuning (examples/peft/llama/h100: 13b_1node.sh, 70b_2node.sh; the LoRA scripts set
    // none).
    Recipe{"nemo", 240700, 240799, kAny, "llama2-13b", kAny, "sft", 4, "parallelism.interleave", "10"},
    Recipe{"nemo", 240700, 240799, kAny, "llama2-70b", kAny, "sft", 4, "parallelism.interleave", "20"},
    // LoRA there: rank 32 beside Q, K and V (launcher_scripts/conf/peft/llama/sft.yaml, NeMo's default of
    // target_modules), fp8_params, fused_adam, no sequence parallelism and so no userbuffers (megatron_base_model.py).
    Recipe{"nemo", 240700, 240799, kAny, kAny, kAny, "lora", 0, "job.lora.rank", "32"},
    Recipe{"nemo", 240700, 240799, kAny, kAny, kAny, "lora", 0, "job.lora.targets", "qkv"},
    Recipe{"nemo", 240700, 240799, kAny, kAny, "fp8", "lora", 0, "software.memory.weight", "1"},
    Recipe{"nemo", 240700, 240799, kAny, kAny, kAny, "lora", 0, "parallelism.zero", "0"},
    Recipe{"nemo", 240700, 240799, kAny, kAny, kAny, "lora", 0, "parallelism.sequence_parallel", "false"},
    Recipe{"nemo", 240700, 240799, kAny, kAny, kAny, "lora", 0, "software.overlap.tensor", "false"},
    // Fine-tuning on packed SQuAD (README of runs.csv; Megatron-Bridge, recipes/llama/llama3.py): about 20 examples of
    // a paragraph of 117 words, a question and an answer share 4096 tokens.
    Recipe{"nemo", 240700, 240799, kAny, kAny, kAny, "sft", 0, "job.document", kSquad},
    Recipe{"nemo", 240700, 240799, kAny, kAny, kAny, "lora", 0, "job.document", kSquad},
    Recipe{"megatron-bridge", 0, 0, kAny, kAny, kAny, "sft", 0, "job.document", kSquad},
    Recipe{"megatron-bridge", 0, 0, kAny, kAny, kAny, "lora", 0, "job.document", kSquad},
    // Automodel, examples/benchmark/configs: GPT-OSS without activation checkpointing; DeepSeek-V3 keeps gathered
    // parameters (reshard_after_forward false) and reduces gradients in the last microbatch only.
    Recipe{"automodel", 0, 0, kAny, "gpt-oss", kAny, kAny, 0, "parallelism.recompute", "none"},
    Recipe{"automodel", 0, 0, kAny, "deepseek", kAny, kAny, 0, "software.fsdp", "false"},
    Recipe{"automodel", 0, 0, kAny, "deepseek", kAny, kAny, 0, "parallelism.zero", "1"},
    // Automodel, examples/llm_finetune: adapters beside all linear layers; checkpointing for 70B only (README of
    // runs.csv).
    Recipe{"automodel", 0, 0, kAny, kAny, kAny, "lora", 0, "job.lora.targets", "all"},
    Recipe{"automodel", 0, 0, kAny, "8b", kAny, "lora", 0, "parallelism.recompute", "none"},
    // Megatron-Bridge, peft/lora.py: rank 32; the performance recipes adapt the fused Q, K, V only
    // (scripts/performance/configs/llama/llama3_llm_finetune.py: target_modules linear_qkv).
    Recipe{"megatron-bridge", 0, 0, kAny, kAny, kAny, "lora", 0, "job.lora.rank", "32"},
    Recipe{"megatron-bridge", 0, 0, kAny, kAny, kAny, "lora", 0, "job.lora.targets", "qkv"},
    // MLPerf's LoRA of NVIDIA (training_results_v4.1): attention in eight bits as well, frozen weights held in them.
    Recipe{"nemo", 0, 0, kAny, "mlperf", "fp8", "lora", 0, "software.narrow_attention", "true"},
    Recipe{"nemo", 0, 0, kAny, "mlperf", "fp8", "lora", 0, "software.memory.weight", "1"},
    // Megatron-Bridge, configs/llama3: FSDP in eight bits stores the activations of 20 (GB300) or 40 (GB200) of 80
    // layers
    // in host memory.
    Recipe{"megatron-bridge", 0, 0, "gb300", "llama3-70b", "fp8", "pretrain", 1, "parallelism.offload.activations",
           "0.25"},
    Recipe{"megatron-bridge", 0, 0, "gb200", "llama3-70b", "fp8", "pretrain", 1, "parallelism.offload.activations",
           "0.5"},
    // SimuMax, run_pretrain_deepseekv2.sh: capacity factor 1, inputs padded to it.
    Recipe{"simumax-megatron", 0, 0, kAny, "deepseek", kAny, kAny, 0, "job.routing.capacity", "1"},
};

/// "Megatron-Bridge 26.02.01" is 260201; 0 if the text names no release.
int release_of(const std::string& framework) {
  const size_t dot = framework.find('.');
  if (dot == std::string::npos || dot < 2) return 0;
  auto two = [&](size_t at) { return at < framework.size() ? std::atoi(framework.substr(at, 2).c_str()) : 0; };
  const int patch = dot + 3 < framework.size() && framework[dot + 3] == '.' ? two(dot + 4) : 0;
  return 10000 * two(dot - 2) + 100 * two(dot + 1) + patch;
}

bool has(const std::string& cell, const char* word) { return lower_case(cell).find(word) != std::string::npos; }

bool fits(const Recipe& r, const RunConfig& c, int release) {
  const bool in_time = r.first == 0 || (release >= r.first && release <= r.last);
  const int64_t parts = c.pp.value_or(1) * c.vpp.value_or(1);
  return c.software == r.software && in_time && has(c.gpu, r.gpu) && has(c.model_name, r.model) &&
         (!*r.precision || c.precision == r.precision) && has(c.task, r.task) && (r.parts == 0 || r.parts == parts);
}

}  // namespace

std::vector<ModelField> recipe_fields(const RunConfig& config) {
  std::vector<ModelField> out;
  for (const Recipe& r : kRecipes)
    if (fits(r, config, release_of(config.framework))) out.push_back({r.field, r.value, true});
  return out;
}

}  // namespace planner
