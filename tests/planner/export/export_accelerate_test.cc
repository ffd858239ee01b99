// What becomes of each field: DeepSpeed's JSON and a launch line of accelerate; and both read back.
#include <set>

#include "dsl/write.h"
#include "planner/import/deepspeed.h"
#include "tests/planner/export/export_sample.h"

namespace {

constexpr ExportCase kCases[] = {
    {"parallelism.tp=2", "refused: parallelism.tp: 2"},
    {"parallelism.pp=2", "refused: parallelism.pp: 2"},
    {"parallelism.pp=2; parallelism.interleave=2", "refused: parallelism.pp: 2 |parallelism.interleave: 2"},
    {"parallelism.cp=2", "refused: parallelism.cp: 2"},
    {"model.use=mixtral-8x7b; parallelism.ep=2", "refused: parallelism.ep: 2"},
    {"parallelism.tp=2; parallelism.sequence_parallel=true",
     "refused: parallelism.tp: 2 |parallelism.sequence_parallel: true"},
    {"parallelism.order=tp-cp-ep-pp-dp", "refused: parallelism.order: tp-cp-ep-pp-dp"},
    {"cluster.gpus=4",
     "+--num_machines=1 +--num_processes=4 +--gradient_accumulation_steps=16 "
     "+gradient_accumulation_steps=16"},
    {"cluster.gpus=12; job.global_batch=48", "refused: parallelism.dp: 12"},
    {"parallelism.zero=0",
     "+zero_optimization.stage=0 -zero_optimization.overlap_comm=true "
     "-zero_optimization.stage3_param_persistence_threshold=100000"},
    {"parallelism.zero=2",
     "+zero_optimization.reduce_scatter=true +zero_optimization.stage=2 "
     "-zero_optimization.stage3_param_persistence_threshold=100000"},
    {"parallelism.zero_group=8", "+zero_optimization.mics_shard_size=8"},
    {"parallelism.zero=1; parallelism.zero_group=8", "refused: parallelism.zero_group: 8"},
    {"parallelism.offload.optimizer=1", "+zero_optimization.offload_optimizer.device=cpu"},
    {"parallelism.offload.optimizer=0.5",
     "+zero_optimization.offload_optimizer.device=cpu +zero_optimization.offload_optimizer.ratio=0.5"},
    {"parallelism.zero=2; parallelism.offload.optimizer=0.5", "refused: parallelism.offload.optimizer: 0.5"},
    {"parallelism.zero=0; parallelism.offload.optimizer=1", "refused: parallelism.offload.optimizer: 1"},
    {"parallelism.offload.weights=1", "+zero_optimization.offload_param.device=cpu"},
    {"parallelism.offload.weights=0.5", "refused: parallelism.offload.weights: 0.5"},
    {"parallelism.offload.activations=1", "refused: parallelism.offload.activations: 1"},
    {"parallelism.recompute=full", "+--gradient_checkpointing"},
    {"parallelism.recompute=full; parallelism.recompute_every=2", "refused: parallelism.recompute_every: 2"},
    {"parallelism.recompute=selective", "refused: parallelism.recompute: selective"},
    {"parallelism.microbatch=2",
     "+--per_device_train_batch_size=2 +train_micro_batch_size_per_gpu=2 +--gradient_accumulation_steps=2 "
     "+gradient_accumulation_steps=2"},
    {"job.global_batch=128", "+--gradient_accumulation_steps=8 +gradient_accumulation_steps=8 +train_batch_size=128"},
    {"job.sequence=1024", "+--block_size=1024"},
    {"job.document=512", "refused: job.document: 512"},
    {"job.tokens=1e9", "+--max_steps=7630"},
    {"job.precision=fp32; software.reduce_bytes=4", "+communication_data_type=fp32 ---bf16 -bf16.enabled=true"},
    {"job.precision=fp16", "+--fp16 +fp16.enabled=true +communication_data_type=fp16 ---bf16 -bf16.enabled=true"},
    {"job.precision=fp8", "refused: job.precision: fp8"},
    {"job.optimizer=sgd",
     "+optimizer.type=SGD +zero_allow_untested_optimizer=true -optimizer.params.betas=auto -optimizer.params.eps=auto"},
    {"job.optimizer=lamb; parallelism.zero=0",
     "+optimizer.type=Lamb +zero_optimization.stage=0 -zero_optimization.overlap_comm=true "
     "-zero_optimization.stage3_param_persistence_threshold=100000"},
    {"job.phase=forward", "refused: job.phase: forward"},
    {"job.lora.rank=8", "refused: job.lora.rank: 8"},
    {"model.use=qwen3-8b", "+--model_name_or_path=Qwen/Qwen3-8B"},
    {"model.use=gpt3-13b", "refused: model.name: gpt3-13b"},
    {"model.use=hf:tests/planner/import/hf/llama-3.1-8b",
     "+--config_name=./tests/planner/import/hf/llama-3.1-8b ---model_name_or_path=meta-llama/Meta-Llama-3-8B"},
    {"model.layers=16", "refused: model.layers: 16"},
    {"software.overlap.gradients=false; software.overlap.parameters=false", "+zero_optimization.overlap_comm=false"},
    {"software.overlap.gradients=false",
     "refused: software.overlap.gradients: false |software.overlap.parameters: true"},
    {"software.reduce_scatter=false", ""},
    {"software.bucket_bytes=1 GB", "+zero_optimization.reduce_bucket_size=500000000"},
    {"software.gather_bytes=1", "+zero_optimization.zero_quantized_weights=true"},
    {"parallelism.zero=2; software.gather_bytes=1", "refused: software.gather_bytes: 1"},
    {"software.gather_bytes=4", "refused: software.gather_bytes: 4"},
    {"software.persistence=5", "+zero_optimization.stage3_param_persistence_threshold=5"},
    {"software.reduce_bytes=4", "+communication_data_type=fp32"},
    {"software.reduce_bytes=1", "refused: software.reduce_bytes: 1"},
    {"software.attention=flash2", "refused: software.attention: flash2"},
    {"software.fusion.norm=true", "refused: software.fusion.norm: true"},
    {"software.fusion.qkv=true", "refused: software.fusion.qkv: true"},
    {"software.fusion.rope=true", "refused: software.fusion.rope: true"},
    {"software.fusion.bias_dropout_add=false", "refused: software.fusion.bias_dropout_add: false"},
    {"software.fusion.softmax=false", "refused: software.fusion.softmax: false"},
    {"software.fusion.bias_activation=true", "refused: software.fusion.bias_activation: true"},
    {"software.fusion.cross_entropy=true", "refused: software.fusion.cross_entropy: true"},
    {"software.fusion.gradient=true", "refused: software.fusion.gradient: true"},
    {"software.reduce_each_microbatch=false", "refused: software.reduce_each_microbatch: false"},
    {"model.use=mixtral-8x7b; software.experts.grouped=false", "refused: software.experts.grouped: false"},
    {"model.use=mixtral-8x7b; software.experts.permute=false", "refused: software.experts.permute: false"},
    {"model.use=mixtral-8x7b; software.experts.overlap=true", "refused: software.experts.overlap: true"},
    {"model.use=mixtral-8x7b; job.routing.capacity=1.5", "refused: job.routing.capacity: 1.5"},
    {"model.use=mixtral-8x7b", "+--model_name_or_path=mistralai/Mixtral-8x7B-v0.1"},
    {"model.use=qwen3-32b; parallelism.offload.weights=1",
     "+zero_optimization.offload_param.device=cpu +--model_name_or_path=Qwen/Qwen3-32B"},
    {"model.hidden=2048", "refused: model.hidden: 2048"},
    {"model.vocab=32000", "refused: model.vocab: 32000"},
    {"model.tied_embeddings=true", "refused: model.tied_embeddings: true"},
    {"parallelism.servers=2", "refused: parallelism.servers: 2"},
    {"job.precision=tf32", "refused: job.precision: tf32"},
    {"software.fsdp=true", "refused: software.reduce_each_microbatch: true"},
    {"software.graphs=step", "refused: software.graphs: step"},
};

}  // namespace

TEST_CASE("accelerate gets what it can run, and nothing else") { check_outcomes("accelerate", kCases); }

TEST_CASE("a refused degree says which programs have it") {
  const Exported out("accelerate", export_scenario("accelerate"), {"parallelism.tp=2"});
  CHECK(out.told() ==
        "DeepSpeed under accelerate cannot express 'parallelism.tp: 2'; it has data parallelism and ZeRO "
        "alone: --to megatron or torchtitan\n");
}

TEST_CASE("what accelerate is given is read back as the same layout") {
  const char* const kSets[] = {"",
                               "parallelism.zero=0; parallelism.microbatch=4",
                               "parallelism.zero=1; software.reduce_scatter=false; software.reduce_bytes=4",
                               "parallelism.zero=2; parallelism.offload.optimizer=1; parallelism.recompute=full",
                               "parallelism.zero_group=8; parallelism.offload.weights=1; job.tokens=1e9",
                               "parallelism.offload.optimizer=0.5; software.persistence=5; job.precision=fp16",
                               "software.overlap.gradients=false; software.overlap.parameters=false",
                               "software.bucket_bytes=1 GB; job.optimizer=sgd; job.sequence=1024",
                               "job.precision=fp32; software.reduce_bytes=4; job.optimizer=lamb; parallelism.zero=0",
                               "model.use=mixtral-8x7b; cluster.gpus=64; job.global_batch=128"};
  for (const char* set : kSets) {
    CAPTURE(std::string(set));
    const Exported there("accelerate", export_scenario("accelerate"), parts_of(set, "; "));
    REQUIRE_MESSAGE(there.result, there.told());
    dsl::Sources sources;
    dsl::Diagnostics diagnostics;
    planner::RunFiles files{.model = "", .cluster = "dgx-h100"};
    files.config = &sources.emplace_back(dsl::Source{"run.sh", there.result->text, "."});
    const planner::ImportedRun back = planner::import_deepspeed(files, sources, diagnostics);
    CHECK(back.complete);
    const dsl::Source& yaml = sources.emplace_back(dsl::Source{"a.yaml", dsl::write_yaml(back.scenario), "/nowhere"});
    const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
    const auto loaded = planner::read_scenario(yaml, {}, catalog, sources, diagnostics);
    std::string told;
    for (const dsl::Diagnostic& d : diagnostics.list) told += d.message + "\n";
    REQUIRE_MESSAGE(loaded, told);
    CHECK(told == "");
    CHECK(accelerate_differences(there.loaded->record, loaded->record) == "");
  }
}
