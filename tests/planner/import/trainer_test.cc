// Runs of a Trainer, with accelerate's file and DeepSpeed's, as scenarios.
#include "planner/import/trainer.h"

#include <doctest/doctest.h>

#include "tests/planner/export/export_sample.h"
#include "tests/planner/import/import_sample.h"

namespace {

/// Files of a run by name and text; scripts find them by name.
struct TrainerRun : ImportSample {
  explicit TrainerRun(const std::string& config, const std::string& launch = "", const std::string& more = "",
                      const std::string& model = "") {
    planner::RunFiles run = files("a.yaml", config, launch, model);
    if (!more.empty()) run.more.push_back(&sources.emplace_back(dsl::Source{"b.yaml", more, "."}));
    run.shell.open = [this](const std::string& path) -> const dsl::Source* {
      const bool json = path == "ds.json", launcher = path == "acc.yaml", program = path == "sft.yaml";
      if (!json && !launcher && !program) return nullptr;
      const std::string text = json ? R"({"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": "auto",)"
                                      R"( "bf16": {"enabled": "auto"}})"
                               : launcher ? "distributed_type: FSDP\nnum_processes: 8\nmixed_precision: bf16\n"
                                          : "model_name_or_path: Qwen/Qwen3-8B\nmax_length: 512\n";
      return &sources.emplace_back(dsl::Source{path, text, "."});
    };
    result = planner::import_trainer(run, sources, diagnostics);
  }
};

constexpr const char* kLine = "accelerate launch run.py --model_name_or_path Qwen/Qwen3-8B --block_size 1024";

/// accelerate's file, the launch line, and fields that follow.
constexpr ImportCase kLaunchers[] = {
    // engines
    {"distributed_type: FSDP\nnum_processes: 8\nmixed_precision: bf16\n", kLine,
     "software.use=transformers; parallelism.zero=3; job.precision=bf16; cluster.gpus=8; parallelism.microbatch=8; "
     "job.global_batch=1 * parallelism.microbatch * parallelism.dp; model.use=qwen3-8b; job.sequence=1024"},
    {"distributed_type: MULTI_GPU\nnum_processes: 4\nmixed_precision: fp16\n", kLine,
     "software.use=transformers-ddp; parallelism.zero=0; job.precision=fp16; cluster.gpus=4"},
    {"distributed_type: 'NO'\nmixed_precision: 'no'\nnum_processes: 1\n", kLine,
     "software.use=transformers-ddp; parallelism.zero=0; job.precision=fp32; cluster.gpus=1"},
    {"distributed_type: DEEPSPEED\nnum_processes: 8\nmixed_precision: bf16\ndeepspeed_config: {zero_stage: 3}\n", kLine,
     "software.use=deepspeed; parallelism.zero=3; job.precision=bf16; cluster.gpus=8; parallelism.microbatch=8"},
    {"distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config: {gradient_clipping: 1.0}\n", kLine,
     "parallelism.zero=2; job.precision=fp32"},
    {"distributed_type: MEGATRON_LM\nnum_processes: 8\nmegatron_lm_config: {megatron_lm_tp_degree: 2, "
     "megatron_lm_pp_degree: 2, megatron_lm_num_micro_batches: 4, megatron_lm_sequence_parallelism: true, "
     "megatron_lm_use_distributed_optimizer: true, megatron_lm_recompute_activations: true}\n",
     kLine,
     "software.use=megatron-core; parallelism.tp=2; parallelism.pp=2; parallelism.sequence_parallel=true; "
     "parallelism.zero=1; parallelism.recompute=selective; "
     "job.global_batch=4 * parallelism.microbatch * parallelism.dp"},
    // without a line: what is known, and lines to fill in
    {"distributed_type: DEEPSPEED\nmixed_precision: bf16\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 3\n  "
     "gradient_accumulation_steps: 4\n  offload_optimizer_device: cpu\n",
     "",
     "parallelism.zero=3; parallelism.offload.optimizer=1; cluster.gpus=8; job.precision=bf16; model.use=FILL_IN; "
     "job.sequence=FILL_IN; parallelism.microbatch=FILL_IN; job.global_batch=4 * parallelism.microbatch * "
     "parallelism.dp"},
    {"distributed_type: FSDP\nnum_machines: 2\n", "",
     "cluster.gpus=FILL_IN; job.precision=FILL_IN; parallelism.zero=3"},
    // FSDP 1 and 2
    {"distributed_type: FSDP\nfsdp_config: {fsdp_sharding_strategy: SHARD_GRAD_OP}\n", kLine, "parallelism.zero=2"},
    {"distributed_type: FSDP\nfsdp_config: {fsdp_sharding_strategy: 3}\n", kLine, "parallelism.zero=0"},
    {"distributed_type: FSDP\nfsdp_config: {fsdp_sharding_strategy: HYBRID_SHARD}\n", kLine,
     "parallelism.zero=3; parallelism.zero_group=min(dp, cluster.gpus_per_node)"},
    {"distributed_type: FSDP\nfsdp_config: {fsdp_reshard_after_forward: FULL_SHARD, fsdp_version: 1}\n", kLine,
     "parallelism.zero=3"},
    {"distributed_type: FSDP\nfsdp_config: {fsdp_reshard_after_forward: false, fsdp_version: 2}\n", kLine,
     "parallelism.zero=2"},
    {"distributed_type: FSDP\nfsdp_config: {version: 2, offload_params: true, activation_checkpointing: true}\n", kLine,
     "parallelism.zero=3; parallelism.offload.optimizer=1; parallelism.offload.weights=1; parallelism.recompute=full"},
    // meshes
    {"distributed_type: FSDP\nnum_processes: 8\nfsdp_config: {fsdp_version: 2}\nparallelism_config: "
     "{parallelism_config_dp_replicate_size: 2, parallelism_config_dp_shard_size: 2, parallelism_config_tp_size: 2}\n",
     kLine, "parallelism.tp=2; parallelism.zero_group=dp * cp / 2"},
    {"distributed_type: FSDP\nnum_processes: 8\nfsdp_config: {fsdp_version: 2}\nparallelism_config: {cp_size: 8}\n",
     kLine, "parallelism.cp=8; parallelism.zero_group=none"},
    // a line goes over the file
    {"distributed_type: FSDP\nnum_processes: 8\nmixed_precision: 'no'\n",
     "accelerate launch --num-processes 16 --mixed_precision bf16 run.py --model_name_or_path x",
     "cluster.gpus=16; job.precision=bf16"},
    {"distributed_type: FSDP\nnum_processes: 8\nmixed_precision: 'no'\n", "accelerate launch run.py --fp16 true",
     "job.precision=fp16"},
    {"distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config: {deepspeed_config_file: ds.json}\n", kLine,
     "parallelism.zero=2; job.precision=fp32"},
    // words of Python's YAML
    {"distributed_type: FSDP\nmixed_precision: no\nnum_processes: 8\n", kLine, "job.precision=fp32"},
};

/// A program's file, the launch line, and fields.
constexpr ImportCase kPrograms[] = {
    // TRL: its defaults
    {"model_name_or_path: Qwen/Qwen3-8B\nmax_length: 2048\nnum_train_epochs: 1\n",
     "accelerate launch --use_fsdp "
     "--num_processes 8 sft.py",
     "software.use=trl; job.sequence=2048; parallelism.microbatch=8; parallelism.recompute=full; job.precision=bf16; "
     "parallelism.zero=3; cluster.gpus=8"},
    {"model_name_or_path: Qwen/Qwen3-8B\nuse_peft: true\n", "trl sft --num_processes 2",
     "software.use=peft; job.lora.rank=16; job.sequence=1024"},
    {"model_name_or_path: Qwen/Qwen3-8B\nuse_peft: true\nload_in_4bit: true\nlora_r: 8\n", "trl sft --num_processes 2",
     "software.use=peft-qlora; job.lora.rank=8; job.task=qlora; job.lora.base=nf4"},
    {"model_name_or_path: Qwen/Qwen3-8B\nuse_peft: false\nlora_r: 8\n", "",
     "software.use=transformers-ddp; job.lora.rank=none"},
    // the Trainer itself
    {"model_name_or_path: Qwen/Qwen3-8B\nper_device_train_batch_size: 2\nmax_seq_length: 512\nmax_steps: 100\n", "",
     "parallelism.recompute=none; job.precision=fp32; job.tokens=100 * job.global_batch * job.sequence; "
     "parallelism.microbatch=2"},
    {"model_name_or_path: Qwen/Qwen3-8B\nper_device_train_batch_size: 2\nfsdp: full_shard auto_wrap offload\n",
     "torchrun --nproc_per_node 8 a.py --bf16",
     "parallelism.zero=3; parallelism.offload.optimizer=1; software.use=transformers; cluster.gpus=8; "
     "job.precision=bf16"},
    {"model_name_or_path: Qwen/Qwen3-8B\nper_device_train_batch_size: 2\nfsdp: [shard_grad_op, auto_wrap]\n", "",
     "parallelism.zero=2"},
    {"model_name_or_path: Qwen/Qwen3-8B\nper_device_train_batch_size: 2\ntf32: true\n", "", "job.precision=tf32"},
    {"model_name_or_path: Qwen/Qwen3-8B\nper_device_train_batch_size: 2\nbf16: true\ntf32: true\n", "",
     "job.precision=bf16"},
    {"model_name_or_path: Qwen/Qwen3-8B\nper_device_train_batch_size: 2\ndeepspeed: ds.json\n", "",
     "software.use=deepspeed; parallelism.zero=2"},
    {"model_name_or_path: Qwen/Qwen3-8B\nper_device_train_batch_size: 2\ndeepspeed: {zero_optimization: {stage: 1}, "
     "train_micro_batch_size_per_gpu: auto}\n",
     "", "software.use=deepspeed; parallelism.zero=1"},
    {"torchrun --nproc_per_node 8 a.py --model_name_or_path Qwen/Qwen3-8B --fsdp 'full_shard auto_wrap' --fsdp_config "
     "'{\"version\": 2, \"activation_checkpointing\": true}'",
     "", "parallelism.zero=3; parallelism.recompute=full; software.use=transformers; cluster.gpus=8"},
    // axolotl
    {"base_model: NousResearch/Meta-Llama-3-8B\nsequence_len: 4096\nmicro_batch_size: 2\ngradient_accumulation_steps: "
     "4\n"
     "flash_attention: true\ngradient_checkpointing: offload\n",
     "axolotl train a.yaml --num-processes 8",
     "model.use=llama3-8b; job.sequence=4096; parallelism.microbatch=2; software.attention=flash2; job.precision=bf16; "
     "parallelism.recompute=full; parallelism.offload.activations=1; cluster.gpus=8"},
    {"base_model: Qwen/Qwen3-8B\nadapter: qlora\nlora_r: 32\nlora_target_linear: true\nmicro_batch_size: 1\n"
     "fsdp_version: 2\nfsdp_config: {reshard_after_forward: true}\n",
     "", "software.use=axolotl; job.lora.rank=32; job.task=qlora; job.lora.targets=all; parallelism.zero=3"},
    {"base_model: Qwen/Qwen3-8B\nadapter: qlora\n", "", "software.use=axolotl; parallelism.zero=0"},
    {"base_model: Qwen/Qwen3-8B\nadapter: lora\n", "", "software.use=axolotl; job.lora.base=none"},
    {"base_model: Qwen/Qwen3-8B\nsequence_len: 512\n", "", "software.use=transformers-ddp"},
    {"base_model: Qwen/Qwen3-8B\nadapter:\nlora_r: 32\nsequence_len: 512\n", "",
     "job.lora.rank=none; parallelism.microbatch=1"},
    {"base_model: Qwen/Qwen3-8B\ndp_shard_size: 4\ndp_replicate_size: 2\ntensor_parallel_size: 2\nfsdp_version: 2\n"
     "fsdp_config: {reshard_after_forward: true}\n",
     "axolotl train a.yaml --num_processes 16",
     "parallelism.tp=2; parallelism.zero_group=dp * cp / 2; parallelism.zero=3"},
    // LLaMA-Factory
    {"model_name_or_path: Qwen/Qwen3-8B\nfinetuning_type: full\ncutoff_len: 2048\nbf16: true\n", "",
     "job.sequence=2048; parallelism.microbatch=8; parallelism.recompute=full; job.precision=bf16; job.lora.rank=none"},
    {"model_name_or_path: Qwen/Qwen3-8B\nfinetuning_type: full\ndisable_gradient_checkpointing: true\n", "",
     "parallelism.recompute=none; job.sequence=2048"},
    {"model_name_or_path: Qwen/Qwen3-8B\nstage: sft\nlora_rank: 16\nquantization_bit: 4\n", "",
     "job.lora.rank=16; job.task=qlora; job.lora.targets=all; software.use=peft-qlora"},
    {"model_name_or_path: Qwen/Qwen3-8B\nstage: sft\nlora_rank: 16\nuse_unsloth: true\n", "",
     "job.lora.rank=16; software.use=unsloth"},
    // files that a line names
    {"accelerate launch --config_file acc.yaml trl_sft.py --config sft.yaml", "",
     "cluster.gpus=8; parallelism.zero=3; model.use=qwen3-8b; job.sequence=512; software.use=trl"},
};

/// A file, a launch line and the messages.
constexpr ImportCase kTold[] = {
    // unknown keys
    {"distributed_type: FSDP\nnum_proceses: 8\n", kLine,
     "a.yaml:2:1 error: unknown key 'num_proceses': accelerate refuses it; did you mean 'num_processes'?\n"},
    {"model_name_or_path: Qwen/Qwen3-8B\nper_device_train_batch_siz: 8\n", "torchrun --nproc_per_node 8 a.py",
     "a.yaml:2:1 warning: unknown key 'per_device_train_batch_siz'; did you mean 'per_device_train_batch_size'?\n"},
    {"distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config: {zero_stge: 2}\n", kLine,
     "a.yaml:3:20 warning: unknown key 'zero_stge'; did you mean 'zero_stage'?\n"},
    // wrong types
    {"distributed_type: FSDP\nnum_processes: many\n", kLine,
     "a.yaml:2:16 error: expected a number, 0 or more, for num_processes, got 'many'\n"},
    {"distributed_type: FSDP\nnum_processes: 8\nfsdp_config: full\n", kLine,
     "a.yaml:3:14 error: 'fsdp_config' holds keys, got 'full'\n"},
    {"distributed_type: FSDP\nnum_processes: 8\nfsdp_config: {fsdp_version: 3}\n", kLine,
     "a.yaml:3:29 error: FSDP has versions 1 and 2, not '3'\n"},
    {"distributed_type: FSDP\nnum_processes: 8\nfsdp_config: {fsdp_version: 2, fsdp_reshard_after_forward: "
     "FULL_SHARD}\n",
     kLine,
     "a.yaml:3:60 error: expected true or false for fsdp_reshard_after_forward of FSDP 2, got 'FULL_SHARD'; true "
     "shards "
     "parameters after the forward pass (FULL_SHARD), false keeps them (SHARD_GRAD_OP)\n"},
    {"distributed_type: FSDP\nnum_processes: 8\nfsdp_config: {fsdp_sharding_strategy: ALL}\n", kLine,
     "a.yaml:3:39 error: unknown strategy 'ALL' of FSDP; known: FULL_SHARD, SHARD_GRAD_OP, NO_SHARD, HYBRID_SHARD, "
     "HYBRID_SHARD_ZERO2\n"},
    {"distributed_type: FSDP\nnum_processes: 8\nmixed_precision: half\n", kLine,
     "a.yaml:3:18 error: unknown precision 'half'; known: no, fp16, bf16, fp8\n"},
    {"distributed_type: FSDP\nnum_processes: 8\nfsdp_config: {fsdp_shrding_strategy: FULL_SHARD}\n", kLine,
     "a.yaml:3:15 warning: unknown key 'fsdp_shrding_strategy'; did you mean 'fsdp_sharding_strategy'?\n"},
    {"distributed_type: FSDP\nnum_processes: 8\nparallelism_config: {parallelism_config_tpsize: 2}\n", kLine,
     "a.yaml:3:22 warning: unknown key 'parallelism_config_tpsize'; did you mean 'parallelism_config_tp_size'?\n"},
    // contradictions
    {"distributed_type: FSDP\nnum_processes: 8\ndeepspeed_config: {zero_stage: 3}\n", kLine,
     "a.yaml:1:19 error: distributed_type is FSDP, but the file has 'deepspeed_config' alone; `distributed_type: "
     "DEEPSPEED`, or a section 'fsdp_config'\n"},
    {"distributed_type: MULTI_GPU\nnum_processes: 8\ndeepspeed_config: {zero_stage: 3}\n", kLine,
     "a.yaml:3:1 warning: 'deepspeed_config' has no effect: distributed_type is MULTI_GPU\n"},
    {"distributed_type: CLUSTER\n", kLine,
     "a.yaml:1:19 error: unknown distributed_type 'CLUSTER'; known: NO, MULTI_GPU, FSDP, DEEPSPEED, MEGATRON_LM\n"},
    {"compute_environment: LOCAL_MACHINE\nnum_processes: 8\n", kLine,
     "a.yaml:1:1 error: missing key distributed_type; `distributed_type: FSDP`, DEEPSPEED or MULTI_GPU\n"},
    {"distributed_type: FSDP\nnum_processes: 6\nfsdp_config: {fsdp_version: 2}\nparallelism_config: {tp_size: 4, "
     "dp_shard_size: 2}\n",
     kLine, "a.yaml:4:49 error: the sizes of the mesh multiply to 8, and there are 6 processes\n"},
    {"distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config: {deepspeed_config_file: ds.json, zero_stage: "
     "3}\n",
     kLine,
     "a.yaml:3:64 error: 'zero_stage' is given beside DeepSpeed's own file: accelerate refuses both; leave it out "
     "here\n"},
    {"{zero_optimization: {stage: 1}, train_micro_batch_size_per_gpu: auto, bf16: {enabled: true}}\n",
     "accelerate launch --use_deepspeed --mixed_precision fp16 a.py --model_name_or_path Qwen/Qwen3-8B",
     "run.sh:1:53 error: fp16 is not the bf16 of DeepSpeed's configuration; \"auto\" there takes that of accelerate\n"},
    // files that are not there, and truncated ones
    {"distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config: {deepspeed_config_file: away.json}\n", kLine,
     "a.yaml:3:43 error: 'away.json' cannot be read: it says how states are sharded; `trainplan import trainer a.yaml "
     "FILE.json` reads both\n"},
    {"distributed_type: FSDP\nfsdp_config: {fsdp_version: 2,\n", kLine, nullptr},
};

}  // namespace

TEST_CASE("a file of accelerate and a launch line become a scenario") {
  for (const ImportCase& c : kLaunchers) {
    CAPTURE(std::string(c.config) + c.launch);
    const TrainerRun run(c.config, c.launch);
    CHECK(run.fields(c.result) == c.result);
    CHECK_MESSAGE(!run.diagnostics.has_errors(), run.told());
  }
}

TEST_CASE("a file of a program on top of the Trainer has the program's names and defaults") {
  for (const ImportCase& c : kPrograms) {
    CAPTURE(std::string(c.config) + c.launch);
    const TrainerRun run(c.config, c.launch);
    CHECK(run.fields(c.result) == c.result);
    CHECK_MESSAGE(!run.diagnostics.has_errors(), run.told());
  }
}

TEST_CASE("mistakes are reported at their places in the file") {
  for (const ImportCase& c : kTold) {
    CAPTURE(std::string(c.config) + c.launch);
    const TrainerRun run(c.config, c.launch);
    if (c.result) CHECK(run.told() == c.result);
    else CHECK(run.diagnostics.has_errors());
  }
}

TEST_CASE("a file that is too long is called so, not another kind") {
  const TrainerRun run("{\"a\": \"" + std::string(size_t{1} << 20, 'x') + "\"}", kLine);
  CHECK(run.told().starts_with("a.yaml:1:1 error: the text is longer than 1048576 bytes; "));
}

TEST_CASE("files of a run come in any order, and a program's file goes over accelerate's") {
  const std::string launcher = "distributed_type: FSDP\nnum_processes: 8\nmixed_precision: 'no'\n",
                    program = "model_name_or_path: Qwen/Qwen3-8B\nmax_length: 512\nbf16: true\n";
  const TrainerRun a(launcher, "", program), b(program, "", launcher);
  CHECK(dsl::write_yaml(a.result.scenario) == dsl::write_yaml(b.result.scenario));
  CHECK(a.at("job.precision") == "bf16");
  CHECK(a.at("cluster.gpus") == "8");
}

TEST_CASE("a configuration of DeepSpeed beside a program's file chooses DeepSpeed, and nothing where FSDP is chosen") {
  const std::string json = "{zero_optimization: {stage: 1}, train_micro_batch_size_per_gpu: auto}\n";
  const TrainerRun run(json, "", "model_name_or_path: Qwen/Qwen3-8B\nmax_length: 512\n");
  CHECK(run.at("software.use") == "deepspeed");
  CHECK(run.at("parallelism.zero") == "1");
  const TrainerRun other(json, kLine, "distributed_type: FSDP\nnum_processes: 8\n");
  CHECK(other.at("software.use") == "transformers");
  CHECK(other.told() ==
        "a.yaml:1:1 warning: the configuration of DeepSpeed has no effect: another engine is chosen; "
        "`distributed_type: DEEPSPEED`\n");
}

TEST_CASE("a default names the program that has it, and a value its key") {
  const TrainerRun run("base_model: Qwen/Qwen3-8B\nsequence_len: 4096\n", "axolotl train a.yaml --num_processes 8");
  const std::string text = dsl::write_yaml(run.result.scenario);
  CHECK_MESSAGE(text.find("# default of axolotl: per_device_train_batch_size 1\n") != std::string::npos, text);
  const TrainerRun plain("distributed_type: FSDP\n", kLine);
  CHECK(dsl::write_yaml(plain.result.scenario).find("default of accelerate\n") != std::string::npos);
  CHECK_MESSAGE(text.find("# sequence_len 4096\n") != std::string::npos, text);
}

TEST_CASE("a complete run is a scenario that can be planned") {
  TrainerRun run("distributed_type: FSDP\nnum_processes: 8\nmixed_precision: bf16\nfsdp_config: {fsdp_version: 2}\n",
                 kLine);
  CHECK(run.result.complete);
  const auto loaded = run.loaded();
  REQUIRE_MESSAGE(loaded, run.told());
  CHECK(loaded->scenario.software.fsdp);
  CHECK(loaded->scenario.parallelism.zero == 3);
}
