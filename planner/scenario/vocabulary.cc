#include "planner/scenario/vocabulary.h"

#include <array>

#include "planner/scenario/scenario.h"

namespace planner {
namespace {

constexpr std::array kKinds{
    dsl::FileKind{"model", "models"},
    dsl::FileKind{"cluster", "clusters"},
    dsl::FileKind{"accelerator", "accelerators"},
    dsl::FileKind{"software", "software"},
    dsl::FileKind{"calibration", "calibrations"},
    dsl::FileKind{"near-memory", "near_memory"},
    dsl::FileKind{"scenario", "scenarios"},
    dsl::FileKind{"roadmap", "roadmaps"},
    dsl::FileKind{"layout-policy", "layouts"},
    dsl::FileKind{"errors", "errors"},
    dsl::FileKind{"layer", "layers"},
};
constexpr dsl::ItemWord kItemWords[] = {{"layer", "model.kinds"}};
constexpr std::array kSections{"job", "model", "parallelism"};
constexpr std::array kOtherKeys{"measured", "price_list", "roadmap", "study",
                                "techniques"};  // resolve/ and studies/ read them

constexpr dsl::SectionWord kSectionWords[] = {{"parallelism", "auto", "auto"}};

// What other programs and papers call ours. The last rows are words of fields.
constexpr dsl::OtherName kOtherNames[] = {
    {"seq_len, seq_length, seqlen, context_length, max_position_embeddings", "job.sequence"},
    {"batch, batch_size, gbs, train_batch_size", "job.global_batch"},
    {"dtype", "job.precision"},
    {"total_tokens, training_tokens", "job.tokens"},
    {"mbs, micro_batch, micro_batch_size, microbatch_size", "parallelism.microbatch"},
    {"tensor, tensor_parallel, tensor_parallel_size, tensor_model_parallel_size, tp_size", "parallelism.tp"},
    {"pipeline, pipeline_parallel, pipeline_parallel_size, pipeline_model_parallel_size, pp_size", "parallelism.pp"},
    {"data_parallel, data_parallel_size, dp_size", "parallelism.dp"},
    {"context_parallel, context_parallel_size", "parallelism.cp"},
    {"expert_parallel, expert_parallel_size, expert_model_parallel_size", "parallelism.ep"},
    {"virtual_pipeline, vpp", "parallelism.interleave"},
    {"power_limit", "cluster.gpu.power_cap"},
    {"max_clock", "cluster.gpu.clock_cap"},
    {"headroom", "goal.fit", "", "goal.fit takes its place, a probability: 'fit: 0.9' keeps what fits with 90 %"},
    {"zero_stage", "parallelism.zero"},
    {"fsdp", "parallelism.zero", "", "FSDP is ZeRO's third stage: write 'zero: 3'"},
    {"activation_checkpointing, gradient_checkpointing, recomputation", "parallelism.recompute"},
    {"num_gpus, gpu_count, world_size", "cluster.gpus"},
    {"nodes, num_nodes", "cluster.gpus", "", "write 'gpus', and as its value nodes times GPUs of a node"},
    {"hardware, system, machine", "cluster"},
    {"accelerator, device", "cluster.gpu"},
    {"training, train, workload, run", "job"},
    {"strategy, layout, parallel", "parallelism"},
    {"framework", "software"},
    {"constraints, conditions", "where"},
    {"asserts, assertions, checks, expect", "assert"},
    {"objective, optimize", "goal"},
    {"num_layers, n_layers, n_layer, num_hidden_layers, depth", "model.layers"},
    {"hidden_size, d_model, n_embd, width", "model.hidden"},
    {"num_heads, n_heads, n_head, num_attention_heads", "model.heads"},
    {"num_key_value_heads", "model.kv_heads"},
    {"vocab_size", "model.vocab"},
    {"ffn_hidden_size, intermediate_size", "model.ffn"},
    {"cost, money, price, dollars", "usd"},
    {"time, step_time, iteration_time, latency", "step"},
    {"duration", "days"},
    {"memory, peak_memory, memory_peak", "memory.peak"},
    {"throughput, tokens_per_sec, tps", "tokens_per_second"},
    {"utilization", "mfu"},
    {"energy", "kwh"},
    {"megatron, megatron_lm", "megatron-core", "software.use"},
    {"pytorch, torch, fsdp, fsdp2, lightning", "pytorch-fsdp", "software.use"},
    {"llm_foundry", "composer-fsdp", "software.use"},
    {"olmo_core", "torchtitan-compile", "software.use"},
    {"huggingface, accelerate, hugging_face, hf, hf_trainer, trainer, llama_factory", "transformers", "software.use"},
    {"ddp", "transformers-ddp", "software.use"},
    {"qlora, bitsandbytes", "peft-qlora", "software.use"},
    {"gpt_neox", "other", "software.use"},
    {"jax", "maxtext", "software.use"},
    {"float16, half", "fp16", "job.precision"},
    {"16, bfloat16, mixed, amp", "bf16", "job.precision"},
    {"float32, 32", "fp32", "job.precision"},
    {"float8, e4m3", "fp8", "job.precision"},
    {"true, all, block", "full", "parallelism.recompute"},
    {"false, off", "none", "parallelism.recompute"},
    {"true, stage1", "1", "parallelism.zero"},
    {"false", "0", "parallelism.zero"},
    {"stage2", "2", "parallelism.zero"},
    {"stage3, full", "3", "parallelism.zero"},
    {"cpu, true, host, optimizer", "{optimizer: 1}", "parallelism.offload"},
    {"cpu, true", "1", "parallelism.offload.optimizer"},
    {"cpu, true", "1", "parallelism.offload.weights"},
    {"cpu, true", "1", "parallelism.offload.activations"},
    {"cost, usd, cheapest", "{minimize: usd}", "goal"},
    {"time, fastest", "{minimize: days}", "goal"},
    {"throughput", "{maximize: tokens_per_second}", "goal"},
    {"inference, prefill", "forward", "job.phase"},
    {"training", "train", "job.phase"},
    {"finetune, fine_tuning, finetuning", "sft", "job.task"},
    {"pretraining", "pretrain", "job.task"},
    {"sgdm, momentum", "sgd", "job.optimizer"},
    {"adamw, adamw_torch, adamw_torch_fused", "adam", "job.optimizer"},
    {"adam8bit, adamw_8bit, adamw8bit, adamw_bnb_8bit", "adam-8bit", "job.optimizer"},
    {"paged_adamw, paged_adamw_32bit", "paged-adam", "job.optimizer"},
    {"paged_adamw_8bit", "paged-adam-8bit", "job.optimizer"},
    {"dist_muon", "muon", "job.optimizer", "write optimizer: muon and parallelism.zero: 1, which deals whole matrices"},
    {"muonclip", "muon-clip", "job.optimizer"},
    {"allgather", "duplicated", "job.muon.mode"},
    {"gram", "distributed", "job.muon.mode"},
    {"layer_wise", "layer-sharded", "job.muon.mode"},
    {"4bit, bnb", "nf4", "job.lora.base"},
    {"8bit", "int8", "job.lora.base"},
    {"float8", "fp8", "job.lora.base"},
    {"bf16", "none", "job.lora.base"},
    {"all_linear, linear", "all", "job.lora.targets"},
    {"q_proj_v_proj", "qv", "job.lora.targets"},
    {"peft", "lora", "job.task"},
};

// Without a memory size, the alias means the part that sold longest.
constexpr dsl::EntryAlias kAliases[] = {
    {"accelerator", "a100, a100-sxm, a100-80gb", "a100-sxm-80gb"},
    {"accelerator", "a100-40gb", "a100-sxm-40gb"},
    {"accelerator", "a800, a800-sxm-80gb", "a800-80gb"},
    {"accelerator", "b200", "b200-180gb"},
    {"accelerator", "b300", "b300-288gb"},
    {"accelerator", "gb200", "gb200-186gb"},
    {"accelerator", "gaudi3", "gaudi3-128gb"},
    {"accelerator", "gb300", "gb300-288gb"},
    {"accelerator", "gh200", "gh200-96gb"},
    {"accelerator", "h100, h100-sxm, h100-80gb", "h100-sxm-80gb"},
    {"accelerator", "h100-nvl", "h100-nvl-94gb"},
    {"accelerator", "h100-pcie", "h100-pcie-80gb"},
    {"accelerator", "h20", "h20-96gb"},
    {"accelerator", "h200, h200-sxm", "h200-sxm-141gb"},
    {"accelerator", "h800, h800-sxm-80gb", "h800-80gb"},
    {"accelerator", "l40s", "l40s-48gb"},
    {"accelerator", "mi300x", "mi300x-192gb"},
    {"accelerator", "mi325x", "mi325x-256gb"},
    {"accelerator", "mi355x", "mi355x-288gb"},
    {"model", "nemotron-3-nano", "nemotron-3-nano-30b-a3b"},
    {"cluster", "dgx-a100", "dgx-a100-80gb"},
    {"cluster", "dgx-gb200, gb200", "gb200-nvl72"},
    {"cluster", "dgx-gb300, gb300", "gb300-nvl72"},
    // What drivers call a device (cudaDeviceProp.name, hipDeviceProp_t.name), as traces have it.
    {"accelerator", "Tesla V100-SXM2-16GB", "v100-sxm2-16gb"},
    {"accelerator", "Tesla V100-SXM2-32GB", "v100-sxm2-32gb"},
    {"accelerator", "Tesla V100-SXM3-32GB", "v100-sxm3-32gb"},
    {"accelerator", "Quadro GV100", "gv100-32gb"},
    {"accelerator", "A100-SXM4-40GB, NVIDIA A100-SXM4-40GB", "a100-sxm-40gb"},
    {"accelerator", "NVIDIA A100-PG509-200", "a100-sxm-40gb"},  // with 40 GB: HolisticTraceAnalysis, tests/data
    {"accelerator", "A100-SXM4-80GB, NVIDIA A100-SXM4-80GB", "a100-sxm-80gb"},
    {"accelerator", "A100-PCIE-40GB, NVIDIA A100-PCIE-40GB", "a100-pcie-40gb"},
    {"accelerator", "NVIDIA A100 80GB PCIe", "a100-pcie-80gb"},
    {"accelerator", "NVIDIA A800-SXM4-80GB", "a800-80gb"},
    {"accelerator", "NVIDIA H100 80GB HBM3", "h100-sxm-80gb"},
    {"accelerator", "NVIDIA H100 PCIe", "h100-pcie-80gb"},
    {"accelerator", "NVIDIA H100 NVL", "h100-nvl-94gb"},
    {"accelerator", "NVIDIA H800", "h800-80gb"},
    {"accelerator", "NVIDIA H20", "h20-96gb"},
    {"accelerator", "NVIDIA H20-3e", "h20-141gb"},
    {"accelerator", "NVIDIA H200", "h200-sxm-141gb"},
    {"accelerator", "NVIDIA GH200 120GB, NVIDIA GH200 480GB", "gh200-96gb"},  // the name has the memory of the CPU
    {"accelerator", "NVIDIA GH200 144G HBM3e", "gh200-144gb"},
    {"accelerator", "NVIDIA B200", "b200-180gb"},
    {"accelerator", "NVIDIA GB200", "gb200-186gb"},
    {"accelerator", "NVIDIA GB300", "gb300-288gb"},
    {"accelerator", "NVIDIA L40S", "l40s-48gb"},
    {"accelerator", "NVIDIA GeForce RTX 4090", "rtx-4090"},
    {"accelerator", "NVIDIA GeForce RTX 5090", "rtx-5090"},
    {"accelerator", "NVIDIA RTX 6000 Ada Generation", "rtx-6000-ada"},
    {"accelerator", "NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx-pro-6000"},
    {"accelerator", "AMD Instinct MI100", "mi100-32gb"},
    {"accelerator", "AMD Instinct MI210", "mi210"},
    {"accelerator", "AMD Instinct MI250X", "mi250x-gcd"},  // a driver's device is one of its two dies
    {"accelerator", "AMD Instinct MI300X", "mi300x-192gb"},
    {"accelerator", "AMD Instinct MI325X", "mi325x-256gb"},
    {"accelerator", "AMD Instinct MI355X", "mi355x-288gb"},
};

constexpr dsl::Vocabulary kVocabulary{.kinds = kKinds,
                                      .main_kind = "scenario",
                                      .main_sections = kSections,
                                      .other_keys = kOtherKeys,
                                      .section_words = kSectionWords,
                                      .item_words = kItemWords,
                                      .other_names = kOtherNames,
                                      .aliases = kAliases,
                                      .override_example = "job.global_batch=2048",
                                      .condition_example = "memory.peak <= 70 GB"};

}  // namespace

const dsl::Vocabulary& vocabulary() { return kVocabulary; }

dsl::BuiltinCatalog builtin_catalog() {
  return {.files = builtin_files(), .vocabulary = kVocabulary, .trees = builtin_trees()};
}

}  // namespace planner
