// Configurations of DeepSpeed, and launch lines beside them, as scenarios.
#include "planner/import/deepspeed.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "planner/import/deepspeed_config.h"
#include "planner/import/hub_names.h"
#include "tests/planner/export/export_sample.h"
#include "tests/planner/import/import_sample.h"

namespace {

namespace deepspeed = planner::deepspeed;

struct Import : ImportSample {
  explicit Import(const std::string& json, const std::string& launch = "", const std::string& model = "llama3-8b") {
    result = planner::import_deepspeed(files("ds.json", json, launch, model), sources, diagnostics);
  }
};

std::string file_text(const std::string& name) { return import_text("deepspeed/" + name); }

/// The body of a JSON, its launch line, and fields that follow.
constexpr ImportCase kFields[] = {
    // the three batch sizes: any that are given make the others
    {R"("train_batch_size": 64, "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 4)", "",
     "job.global_batch=64; parallelism.microbatch=2; cluster.gpus=8"},
    {R"("train_batch_size": 64, "train_micro_batch_size_per_gpu": 2)", "deepspeed --num_gpus 8 a.py",
     "job.global_batch=64; parallelism.microbatch=2; cluster.gpus=8"},
    {R"("train_batch_size": 64, "gradient_accumulation_steps": 4)", "torchrun --nproc_per_node 8 --nnodes 2 a.py",
     "parallelism.microbatch=job.global_batch / (4 * parallelism.dp); cluster.gpus=16"},
    {R"("train_batch_size": 64)", "accelerate launch --num_processes 32 a.py",
     "parallelism.microbatch=job.global_batch / (1 * parallelism.dp); cluster.gpus=32"},
    {R"("train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 4)", "torchrun --nproc-per-node 4 a.py",
     "job.global_batch=4 * parallelism.microbatch * parallelism.dp; parallelism.microbatch=2; cluster.gpus=4"},
    {R"("train_micro_batch_size_per_gpu": 2)", "",
     "job.global_batch=1 * parallelism.microbatch * parallelism.dp; cluster.gpus=FILL_IN"},
    {R"("train_batch_size": 64, "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 4,
        "tensor_parallel": {"autotp_size": 4})",
     "", "cluster.gpus=32; parallelism.tp=4"},
    {R"("train_batch_size": 64)", "deepspeed --num_gpus $GPUS a.py", "cluster.gpus=FILL_IN"},
    // what "auto" leaves to the Trainer
    {R"("train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto")",
     "a --per_device_train_batch_size 3 --gradient_accumulation_steps=5",
     "parallelism.microbatch=3; job.global_batch=5 * parallelism.microbatch * parallelism.dp"},
    {R"("train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto")", "a --lr 1",
     "parallelism.microbatch=8; job.global_batch=1 * parallelism.microbatch * parallelism.dp"},
    {R"("train_micro_batch_size_per_gpu": "auto", "bf16": {"enabled": "auto"})", "",
     "parallelism.microbatch=FILL_IN; job.precision=FILL_IN; job.sequence=FILL_IN"},
    {R"("train_batch_size": 64, "gradient_accumulation_steps": "auto")", "",
     "parallelism.microbatch=FILL_IN; job.global_batch=64"},
    {R"("train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": "auto")", "", "job.global_batch=FILL_IN"},
    // precision and optimizer
    {R"("train_micro_batch_size_per_gpu": 1)", "", "job.precision=fp32; job.optimizer=none"},
    {R"("train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true})", "", "job.precision=bf16"},
    {R"("train_micro_batch_size_per_gpu": 1, "fp16": {"enabled": true, "loss_scale": 0})", "", "job.precision=fp16"},
    {R"("train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": "auto"}, "fp16": {"enabled": "auto"})",
     "a --fp16 True --bf16 False", "job.precision=fp16"},
    {R"("train_micro_batch_size_per_gpu": 1, "optimizer": {"type": "OneBitAdam"})", "", "job.optimizer=none"},
    {R"("train_micro_batch_size_per_gpu": 1, "optimizer": {"type": "Lamb", "params": {"lr": 1e-3}})", "",
     "job.optimizer=lamb"},
    {R"("train_micro_batch_size_per_gpu": 1)", "a --optim sgd", "job.optimizer=sgd"},
    {R"("train_micro_batch_size_per_gpu": 1)", "a --optim adafactor", "job.optimizer=adafactor"},
    {R"("train_micro_batch_size_per_gpu": 1)", "a --optim adamw_8bit", "job.optimizer=adam-8bit"},
    {R"("train_micro_batch_size_per_gpu": 1)", "a --optim paged_adamw_8bit", "job.optimizer=paged-adam-8bit"},
    {R"("train_micro_batch_size_per_gpu": 1, "optimizer": {"type": "Muon"})", "", "job.optimizer=muon"},
    // ZeRO
    {R"("train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 2})", "",
     "parallelism.zero=2; software.overlap.gradients=false; software.overlap.parameters=false"},
    {R"("train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 3})", "",
     "parallelism.zero=3; software.overlap.gradients=true; software.persistence=none"},
    {R"("train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 3, "mics_shard_size": 8,
        "stage3_param_persistence_threshold": "auto", "reduce_bucket_size": "auto", "reduce_scatter": false})",
     "",
     "parallelism.zero_group=8; software.persistence=10 * model.hidden; software.bucket_bytes=none; "
     "software.reduce_scatter=false"},
    {R"("train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "zero_optimization": {"stage": 1,
        "reduce_bucket_size": 5e8})",
     "", "software.bucket_bytes=1000000000 B"},
    {R"("train_micro_batch_size_per_gpu": 1, "communication_data_type": "fp32", "zero_optimization": {"stage": 1,
        "reduce_bucket_size": 5e8, "mics_shard_size": -1})",
     "", "software.bucket_bytes=2000000000 B; software.reduce_bytes=4; parallelism.zero_group=none"},
    // types of states, and what travels
    {R"("train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "data_types": {"grad_accum_dtype": "fp32"},
        "zero_optimization": {"stage": 3, "zero_quantized_weights": true})",
     "", "software.memory.gradient=4; software.gather_bytes=1; software.memory.optimizer=none"},
    {R"("train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "data_types": {"grad_accum_dtype": "float32"},
        "zero_optimization": {"stage": 1, "zero_quantized_weights": false})",
     "", "software.memory.gradient=6; software.gather_bytes=none"},
    {R"("train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "data_types": {"grad_accum_dtype": "fp32"},
        "zero_optimization": {"stage": 1, "cpu_offload": true})",
     "", "software.memory.gradient=4; parallelism.offload.optimizer=1"},
    {R"("train_micro_batch_size_per_gpu": 1, "fp16": {"enabled": true}, "data_types": {"grad_accum_dtype": "fp16"})",
     "", "software.memory.gradient=none"},
    {R"("train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true, "bf16_master_weights_and_grads": true,
        "bf16_optimizer_states": true}, "zero_optimization": {"stage": 2})",
     "", "software.memory.optimizer=6; software.memory.step_copy=0; software.memory.gradient=none"},
    {R"("train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true, "bf16_master_weights_and_grads": true,
        "bf16_optimizer_states": true}, "zero_optimization": {"stage": 3})",
     "", "software.memory.optimizer=4; software.memory.step_copy=0"},
    {R"("train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true, "bf16_master_weights_and_grads": true},
        "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}})",
     "", "software.memory.optimizer=10; parallelism.offload.optimizer=1"},
    // ranks that share a sequence
    {R"("train_batch_size": 64, "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 4,
        "sequence_parallel_size": 4, "data_parallel_size": 8)",
     "", "parallelism.cp=4; software.context=all-to-all; cluster.gpus=32"},
    {R"("train_batch_size": 8, "sequence_parallel_size": 1)", "deepspeed --num_gpus 8 a.py",
     "parallelism.cp=1; software.context=none"},
    // host memory and recompute
    {R"("train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 3, "cpu_offload_param": true})", "",
     "parallelism.offload.weights=1; parallelism.offload.optimizer=none"},
    {R"("train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 3, "offload_param": {"device": "cpu"},
        "offload_optimizer": {"device": "cpu", "ratio": 0.5}})",
     "", "parallelism.offload.weights=1; parallelism.offload.optimizer=0.5"},
    {R"("train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 2, "cpu_offload": true})", "",
     "parallelism.offload.optimizer=1; parallelism.offload.weights=none"},
    {R"("train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 2,
        "offload_optimizer": {"device": "none"}})",
     "", "parallelism.offload.optimizer=none; parallelism.recompute=none"},
    // Under the Trainer the section does nothing.
    {R"("train_micro_batch_size_per_gpu": 1, "activation_checkpointing": {"cpu_checkpointing": true})", "",
     "parallelism.recompute=none; parallelism.offload.activations=none"},
    // adapters
    {R"("train_micro_batch_size_per_gpu": 1)", "a --lora_r 8 --lora_alpha 16", "job.lora.rank=8; job.task=none"},
    {R"("train_micro_batch_size_per_gpu": 1)", "a --use_peft --load_in_4bit",
     "job.lora.rank=16; job.task=qlora; job.lora.base=nf4"},
    {R"("train_micro_batch_size_per_gpu": 1)",
     "a --finetuning_type lora --quantization_bit 8 --lora_target q_proj,v_proj",
     "job.lora.rank=8; job.lora.base=int8; job.lora.targets=qv"},
    {R"("train_micro_batch_size_per_gpu": 1)", "a --lora_r 4 --lora_target_modules all-linear",
     "job.lora.rank=4; job.lora.targets=all"},
    {R"("train_micro_batch_size_per_gpu": 1)", "a --load_in_4bit", "job.lora.rank=none; job.task=none"},
    {R"("train_micro_batch_size_per_gpu": 1)", "a --gradient_checkpointing", "parallelism.recompute=full"},
    {R"("train_micro_batch_size_per_gpu": 1)", "a --gradient_checkpointing no", "parallelism.recompute=none"},
    // the job
    {R"("train_micro_batch_size_per_gpu": 1)", "a --block_size 512 --max_steps 100",
     "job.sequence=512; job.tokens=100 * job.global_batch * job.sequence"},
    {R"("train_micro_batch_size_per_gpu": 1)", "a --max_seq_length 256 --max_steps -1", "job.sequence=256"},
};

/// The body of a JSON, its launch line, and the messages.
constexpr ImportCase kTold[] = {
    {R"("train_batch_size": 65, "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 4)", "",
     "ds.json:1:22 error: train_batch_size 65 is no multiple of train_micro_batch_size_per_gpu 2 x "
     "gradient_accumulation_steps 4\n"},
    {R"("train_batch_size": 64, "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 4)",
     "deepspeed --num_gpus 4 a.py",
     "ds.json:1:22 error: train_batch_size 64 is not train_micro_batch_size_per_gpu 2 x gradient_accumulation_steps 4 "
     "x "
     "4 data-parallel ranks; 32, or leave one of the three out: DeepSpeed finds it\n"},
    {R"("train_batch_size": 60, "train_micro_batch_size_per_gpu": 2)", "deepspeed --num_gpus 8 a.py",
     "ds.json:1:22 error: train_batch_size 60 is no multiple of train_micro_batch_size_per_gpu 2 x 8 data-parallel "
     "ranks\n"},
    {R"("train_micro_batch_size_per_gpu": 2)", "a --per_device_train_batch_size 4",
     "ds.json:1:36 error: train_micro_batch_size_per_gpu 2 is not --per_device_train_batch_size 4 of the launch line; "
     "\"auto\" takes that of the launch line\n"},
    {R"("gradient_accumulation_steps": 4)", "",
     "ds.json:1:1 error: missing key train_batch_size or train_micro_batch_size_per_gpu\n"},
    {R"("train_batch_size": 12, "tensor_parallel": {"autotp_size": 3})", "deepspeed --num_gpus 8 a.py",
     "ds.json:1:61 error: 8 GPUs are no multiple of autotp_size 3\n"},
    {R"("train_batch_size": "many")", "",
     "ds.json:1:22 error: expected a number, 0 or more, for 'train_batch_size', "
     "got 'many'\n"
     "ds.json:1:1 error: missing key train_batch_size or "
     "train_micro_batch_size_per_gpu\n"},
    {R"("train_batch_size": 1.5)", "",
     "ds.json:1:22 error: expected a whole number for 'train_batch_size', got '1.5'\n"
     "ds.json:1:1 error: missing key train_batch_size or train_micro_batch_size_per_gpu\n"},
    {R"("train_batch_size": "0x8")", "",
     "ds.json:1:22 error: expected a number, 0 or more, for 'train_batch_size', got '0x8'\n"
     "ds.json:1:1 error: missing key train_batch_size or train_micro_batch_size_per_gpu\n"},
    {R"("train_batch_size": 8)", "deepspeed --num_gpus 1e15 --num_nodes 1e15 a.py",
     "ds.json:1:22 error: train_batch_size 8 is no multiple of gradient_accumulation_steps 1 x 1000000000000 "
     "data-parallel ranks\n"},
    {R"("train_batch_size": 8, "zero_optimization": {"stage": 4})", "",
     "ds.json:1:56 error: ZeRO has stages 0 to 3, not 4\n"},
    {R"("train_batch_size": 8, "bf16": {"enabled": true}, "fp16": {"enabled": true})", "",
     "ds.json:1:72 error: bf16 and fp16 exclude each other; \"enabled\": false in one of them\n"},
    {R"("train_batch_size": 8, "bf16": {"enabled": "yes"})", "",
     "ds.json:1:45 error: expected true or false for 'bf16.enabled', got 'yes'\n"},
    {R"("train_batch_size": 8, "zero_optimization": {"stage": 1, "offload_optimizer": {"device": "tape"}})", "",
     "ds.json:1:91 error: unknown device 'tape'; known: none, cpu, nvme\n"},
    {R"("train_batch_size": 8, "zero_optimization": {"stage": 1, "offload_optimizer": {"device": "nvme"}})", "",
     "ds.json:1:91 warning: 'nvme' is planned as the host's memory\n"},
    {R"("train_batch_size": 8, "zero_optimization": {"stage": 2, "offload_param": {"device": "cpu"}})", "",
     "ds.json:1:87 warning: 'zero_optimization.offload_param.device' has no effect below stage 3\n"},
    {R"("train_batch_size": 8, "zero_optimization": {"stage": 2, "mics_shard_size": 4})", "",
     "ds.json:1:78 warning: 'zero_optimization.mics_shard_size' has no effect below stage 3\n"},
    {R"("train_batch_size": 8, "zero_optimization": {"stage": 2, "zero_quantized_weights": true})", "",
     "ds.json:1:85 warning: 'zero_optimization.zero_quantized_weights' has no effect below stage 3\n"},
    {R"("train_batch_size": 8, "zero_optimization": {"stage": 1, "cpu_offload_param": true})", "",
     "ds.json:1:80 warning: 'zero_optimization.cpu_offload_param' has no effect below stage 3\n"},
    {R"("train_batch_size": 8, "sequence_parallel_size": 3)", "deepspeed --num_gpus 8 a.py",
     "ds.json:1:51 error: 8 GPUs are no multiple of 3 that share a sequence\n"},
    {R"("train_batch_size": 8, "bf16": {"enabled": true}, "data_types": {"grad_accum_dtype": "int3"})", "",
     "ds.json:1:87 error: unknown type 'int3'; known: fp32, bf16, fp16\n"},
    {R"("train_batch_size": 8, "bf16": {"enabled": true}, "data_types": {"grad_accum_dtype": "fp32"})", "",
     "ds.json:1:87 error: DeepSpeed adds gradients of bf16 up in that type without ZeRO; \"grad_accum_dtype\": null\n"},
    {R"("train_batch_size": 8, "bf16": {"enabled": true, "bf16_optimizer_states": true})", "",
     "ds.json:1:76 error: bf16_optimizer_states needs bf16 masters; \"bf16_master_weights_and_grads\": true\n"},
    {R"("train_batch_size": 8, "bf16": {"enabled": true, "bf16_master_weights_and_grads": true})", "",
     "ds.json:1:84 error: DeepSpeed keeps bf16 masters with ZeRO alone; \"zero_optimization\": {\"stage\": 1}\n"},
    {R"("train_batch_size": 8, "bf16": {"enabled": true, "bf16_master_weights_and_grads": true},
        "zero_optimization": {"stage": 1})",
     "", "ds.json:1:84 error: bf16 masters need moments in bf16 or on the host; \"bf16_optimizer_states\": true\n"},
    {R"("train_batch_size": 8, "optimizer": {"type": "Lion"})", "",
     "ds.json:1:47 warning: 'Lion' is planned as adam\n"},
    {R"("train_batch_size": 8)", "a --optim lomo", "run.sh:1:11 warning: --optim: 'lomo' is planned as adam\n"},
    {R"("train_batch_size": 8, "zero_optimisation": {"stage": 2})", "",
     "ds.json:1:25 warning: unknown key 'zero_optimisation'; did you mean 'zero_optimization'?\n"},
    {R"("train_batch_size": 8, "zero_optimization": {"stage": 2, "overlap_com": true})", "",
     "ds.json:1:59 warning: unknown key 'zero_optimization.overlap_com'; did you mean 'overlap_comm'?\n"},
    {R"("train_batch_size": 8, "zero_optimization": {"stage": 3, "zero_hpz_partition_size": 8})", "",
     "ds.json:1:59 error: 'zero_optimization.zero_hpz_partition_size' keeps a second copy of weights in each node, "
     "which is not planned; take it out to plan the run without it\n"},
    {R"("train_batch_size": 8, "zero_optimization": {"stage": 3, "zero_hpz_partition_size": 1},
        "amp": {"enabled": false}, "sparse_gradients": false, "elasticity": {}, "compile": null)",
     "", ""},
    {R"("train_batch_size": 8, "amp": {"enabled": true, "opt_level": "O1"})", "",
     "ds.json:1:25 error: 'amp' mixes types as apex does, which is not planned; \"fp16\": {\"enabled\": true}\n"},
    {R"("train_batch_size": 8)", "a --torch_compile",
     "run.sh:1:3 warning: --torch_compile: has no counterpart in a plan and is "
     "left out\n"},
};

}  // namespace

TEST_CASE("keys of DeepSpeed and flags of a Trainer become fields") {
  for (const ImportCase& c : kFields) {
    CAPTURE(std::string(c.config));
    CAPTURE(std::string(c.launch));
    const std::string body = c.config;
    const Import import("{" + body + "}", c.launch);
    CHECK_MESSAGE(!import.diagnostics.has_errors(), import.told());
    for (const std::string& one : parts_of(c.result, "; ")) {
      const size_t equals = one.find('=');
      CHECK(one.substr(0, equals) + "=" + import.at(one.substr(0, equals)) == one);
    }
  }
}

TEST_CASE("what cannot be, contradicts or is lost is told at its place") {
  for (const ImportCase& c : kTold) {
    CAPTURE(std::string(c.config));
    const Import import("{" + std::string(c.config) + "}", c.launch);
    CHECK(import.told() == c.result);
  }
}

TEST_CASE("what is no configuration of DeepSpeed is refused") {
  CHECK(Import("[1]").told() == "ds.json:1:1 error: expected the JSON of DeepSpeed: a map of its keys\n");
  CHECK(Import("#!/bin/bash\ndeepspeed a.py --deepspeed ds.json\n").diagnostics.has_errors());
  CHECK(Import("{\"train_batch_size\": }").diagnostics.has_errors());
  CHECK(Import("{\"train_batch_size\": 8}", "a --b \x01").told().starts_with("run.sh:1:7 error: "));
}

TEST_CASE("keys and flags that change nothing are listed") {
  const Import import(file_text("auto.json"), file_text("trainer.sh"), "");
  CHECK(import.told() == "");
  const std::vector<std::string> want{"gradient_clipping", "fp16.loss_scale", "optimizer.params", "--deepspeed",
                                      "--dataset_name",    "--do_train",      "--learning_rate",  "--output_dir"};
  CHECK(import.result.ignored == want);
  CHECK(import.result.complete);
  CHECK(Import(file_text("zero3.json")).result.ignored.size() == 6);
}

TEST_CASE("a configuration and its launch line are a whole scenario") {
  Import import(file_text("auto.json"), file_text("trainer.sh"), "");
  const auto loaded = import.loaded();
  REQUIRE_MESSAGE(loaded, import.told());
  const planner::Scenario& s = loaded->scenario;
  CHECK(s.model.name == "llama3.1-8b");
  CHECK((s.cluster.gpus == 16 && s.parallelism.dp == 16));
  CHECK((s.job.global_batch == 256 && s.parallelism.microbatch == 2));
  CHECK((s.job.sequence == 4096 && *s.job.tokens == 1000LL * 256 * 4096));
  CHECK(s.job.precision == planner::Precision::bf16);
  CHECK(s.parallelism.zero == 2);
  CHECK(s.parallelism.recompute == planner::Recompute::full);
  CHECK(s.software.bucket_bytes.value == 4e8);
}

TEST_CASE("the JSON inside of a script keeps its places, and the rest is the launch line") {
  const Import import(
      "cat > ds.json <<'EOF'\n{\n \"train_batch_size\": 60,\n \"train_micro_batch_size_per_gpu\": 2\n}\nEOF\n"
      "deepspeed --num_gpus 8 a.py --block_size 128\n");
  CHECK(import.told() ==
        "ds.json:3:22 error: train_batch_size 60 is no multiple of train_micro_batch_size_per_gpu 2 x 8 data-parallel "
        "ranks\n");
  const Import heredoc(
      "cat <<X > notes\nhello\nX\ncat > a <<-\"END\"\n{\"train_batch_size\": 64}\nEND\n"
      "torchrun --nproc-per-node 8 a.py --block_size 128\n");
  CHECK(heredoc.told() == "");
  CHECK(heredoc.at("job.global_batch") == "64");
  CHECK(heredoc.at("cluster.gpus") == "8");
  CHECK(heredoc.at("job.sequence") == "128");
}

TEST_CASE("a model is that of the flags, if they name one") {
  const std::string json = "{\"train_batch_size\": 8}";
  const auto model = [&](const std::string& flags, const std::string& named = "") {
    return Import(json, "a " + flags, named).at("model.use");
  };
  CHECK(model("--model_name_or_path Qwen/Qwen3-8B") == "qwen3-8b");
  CHECK(model("--model_name_or_path meta-llama/Llama-3.1-70B-Instruct") == "llama3.1-70b");
  CHECK(model("--model_name_or_path ./llama") == "hf:./llama");
  CHECK(model("--config_name /models/llama") == "hf:/models/llama");
  CHECK(model("--model_name_or_path someone/model") == "FILL_IN");
  CHECK(model("--model_name_or_path Qwen/Qwen3-8B", "llama3-8b") == "llama3-8b");
  CHECK(model("--lr 1") == "FILL_IN");
}

TEST_CASE("every name of the hub is one of a model of the catalogue") {
  size_t found = 0;
  const dsl::BuiltinCatalog catalog = planner::builtin_catalog();
  for (const dsl::BuiltinFile& file : catalog) {
    const std::string name{file.name}, hub = planner::hub_of_model(name);
    if (file.kind != "model" || hub.empty()) continue;
    ++found;
    CHECK(planner::model_of_hub(hub) == name);
  }
  CHECK(found == 41);
  CHECK(planner::hub_of_model("no-such-model") == "");
}

TEST_CASE("every key without a counterpart is warned of or refused, every idle one is listed, wherever it stands") {
  // {"a": {"b": {"c": VALUE}}} of "a.b.c", beside a batch size
  const auto json_of = [](const std::string& path, const std::string& value) {
    std::string text = "{\"train_batch_size\": 8, ", end = "}";
    for (const std::string& name : parts_of(path, ".")) text += (end == "}" ? "\"" : "{\"") + name + "\": ", end += "}";
    return text + value + end.substr(1);
  };
  for (const char* key : deepspeed::key_table().lost) {
    CAPTURE(std::string(key));
    const Import set(json_of(key, "7"));
    CHECK(set.told().ends_with("'" + std::string(key) + "' has no counterpart in a plan and is left out\n"));
    CHECK(Import(json_of(key, "false")).told() == "");
    CHECK(Import(json_of(key, "null")).told() == "");
    CHECK(!set.diagnostics.has_errors());
  }
  for (const planner::RefusedKey& row : deepspeed::key_table().refused) {
    CAPTURE(std::string(row.key));
    const std::string message = "'" + std::string(row.key) + "' " + row.change + ", which is not planned; ";
    CHECK(Import(json_of(row.key, "7")).told().find(message) != std::string::npos);
    CHECK(Import(json_of(row.key, "false")).told() == "");
    CHECK(Import(json_of(row.key, "\"auto\"")).told() == "");
  }
  for (const char* key : deepspeed::key_table().idle) {
    CAPTURE(std::string(key));
    const Import set(json_of(key, "7"));
    const bool in_section = std::string_view(key).starts_with("activation_checkpointing.");
    CHECK(set.told().ends_with("if the model calls deepspeed.checkpointing\n") == in_section);
    CHECK((in_section || set.told().empty()));
    CHECK(set.result.ignored == std::vector<std::string>{key});
  }
}

TEST_CASE("every flag without a counterpart is warned of, others of a script are listed") {
  for (const char* flag : deepspeed::key_table().lost_flags) {
    const Import import("{\"train_batch_size\": 8}", std::string("a ") + flag + " 1");
    CHECK(import.told() == "run.sh:1:" + std::to_string(std::string(flag).size() + 4) + " warning: " + flag +
                               ": has no counterpart in a plan and is left out\n");
  }
  const Import import("{\"train_batch_size\": 8}", "a --my_own 1 --block_size 8");
  CHECK(import.told() == "");
  CHECK(import.result.ignored == std::vector<std::string>{"--my_own"});
}

TEST_CASE("each key and flag is in one row") {
  std::set<std::string> seen;
  for (const planner::FieldKey& row : deepspeed::key_table().fields) {
    CHECK(seen.insert(row.name).second);
    const auto& schema = planner::scenario_schema();
    CHECK(std::any_of(schema.begin(), schema.end(), [&](const dsl::Field& f) { return f.path == row.field; }));
  }
  for (const auto& rows : {deepspeed::key_table().rules, deepspeed::key_table().lost, deepspeed::key_table().idle,
                           deepspeed::key_table().rule_flags, deepspeed::key_table().lost_flags})
    for (const char* name : rows) CHECK_MESSAGE(seen.insert(name).second, std::string(name));
  for (const planner::RefusedKey& row : deepspeed::key_table().refused)
    CHECK_MESSAGE(seen.insert(row.key).second, std::string(row.key));
}
