// Experiments of Primus as scenarios.
#include "planner/import/primus.h"

#include <doctest/doctest.h>

#include "tests/planner/export/export_sample.h"
#include "tests/planner/import/import_sample.h"

namespace {

constexpr const char* kBase =
    "swiglu: true\nadd_bias_linear: false\nposition_embedding_type: rope\nnormalization: RMSNorm\n"
    "vocab_size: 32000\nhidden_dropout: 0.0\nattention_dropout: 0.0\n";

struct PrimusRun : ImportSample {
  explicit PrimusRun(const std::string& module, const std::map<std::string, std::string>& env = {},
                     const std::string& launch = "", const std::string& model = "") {
    planner::RunFiles run = files("exp.yaml", "modules:\n  pre_trainer:\n" + module, launch, model);
    run.shell.variables = env;
    run.shell.open = [this](const std::string& path) -> const dsl::Source* {
      if (path == "base.yaml") return &sources.emplace_back(dsl::Source{path, kBase, "."});
      if (path != "small.yaml" && path != "../../primus/configs/models/megatron/far.yaml") return nullptr;
      const std::string base = path == "small.yaml" ? "extends: [base.yaml]\n" : kBase;
      return &sources.emplace_back(
          dsl::Source{path, base + "num_layers: 4\nhidden_size: 512\nnum_attention_heads: 8\n", "."});
    };
    result = planner::import_primus(run, sources, diagnostics);
  }
};

/// The lines of a module, a launch line, and fields.
constexpr ImportCase kFields[] = {
    {"    framework: megatron\n    model: small.yaml\n    overrides: {seq_length: 2048, micro_batch_size: 1, "
     "global_batch_size: 64}\n",
     "torchrun --nproc_per_node 8 --nnodes 2 a.py",
     "software.use=primus; model.layers=4; model.hidden=512; model.norm=rmsnorm; model.bias=false; job.sequence=2048; "
     "job.global_batch=64; parallelism.microbatch=1; cluster.gpus=2 * 8; job.precision=bf16; parallelism.zero=1"},
    // defaults of Primus
    {"    framework: megatron\n    model: small\n    overrides: {tensor_model_parallel_size: 2}\n", "",
     "parallelism.microbatch=2; job.global_batch=16; job.sequence=1024; parallelism.sequence_parallel=true; "
     "cluster.gpus=FILL_IN"},
    // overrides go over the preset
    {"    framework: megatron\n    model: small.yaml\n    overrides: {num_layers: 8, swiglu: false, bf16: false}\n", "",
     "model.layers=8; model.gated_mlp=none; job.precision=fp32"},
    // presets in the sources of Primus
    {"    framework: megatron\n    model: far.yaml\n    overrides: {seq_length: 512}\n", "",
     "model.layers=4; job.sequence=512"},
    // models of the catalogue, by the names of presets
    {"    framework: megatron\n    model: llama3.1_8B.yaml\n    overrides: {seq_length: 8192}\n", "",
     "model.use=llama3.1-8b; job.sequence=8192; software.use=primus"},
    {"    framework: megatron\n    model: mixtral_8x7B_v0.1.yaml\n    overrides: {expert_model_parallel_size: 8}\n", "",
     "model.use=mixtral-8x7b; parallelism.ep=8"},
    {"    framework: megatron\n    model: qwen2.5_7B.yaml\n    overrides: {num_layers: 4}\n", "",
     "model.use=qwen2.5-7b; model.layers=4"},
    // pipelines and adapters of its own
    {"    framework: megatron\n    model: small.yaml\n    overrides: {patch_primus_pipeline: true, pp_algorithm: "
     "v-half, "
     "pipeline_model_parallel_size: 2, decoder_pipeline_manual_split_list: [1, 1, 1, 1]}\n",
     "", "parallelism.schedule=v-half; parallelism.stages=[1, 1, 1, 1]; parallelism.pp=2"},
    {"    framework: megatron\n    model: small.yaml\n    overrides: {patch_zero_bubble: true, "
     "zero_bubble_v_schedule: true, zero_bubble_v_schedule_mem_setup: zb}\n",
     "", "parallelism.schedule=zb-v"},
    {"    framework: megatron\n    model: small.yaml\n    overrides: {lora: {enabled: true, dim: 16, target_modules: "
     "[linear_qkv, linear_proj]}}\n",
     "", "job.lora.rank=16; job.lora.targets=attention"},
    // the vocabulary of a model that the catalogue has
    {"    framework: megatron\n    model: small.yaml\n    overrides: {tokenizer_model: meta-llama/Llama-3.1-8B, "
     "vocab_size: "
     "null}\n",
     "", "model.vocab=128256"},
    // variables
    {"    framework: megatron\n    model: ${MODEL:small}.yaml\n    overrides: {seq_length: \"${SEQ:4096}\", "
     "micro_batch_size: \"${MBS:3}\"}\n",
     "", "job.sequence=256; parallelism.microbatch=3"},
    // torchtitan
    {"    framework: torchtitan\n    model: llama3.1_8B.yaml\n    overrides:\n      training: {seq_len: 4096, "
     "local_batch_size: 2, mock_data: true}\n      primus_turbo: {enable_primus_turbo: true}\n",
     "", "model.use=llama3.1-8b; job.sequence=4096; software.use=torchtitan-compile; parallelism.recompute=none"},
};

constexpr ImportCase kTold[] = {
    {"    framework: megatron\n    model: small.yaml\n    overrides: {seq_lenght: 2048}\n", "",
     "exp.yaml:5:17 warning: unknown key 'seq_lenght'; did you mean 'seq_length'?\n"},
    {"    framework: megatron\n    model: small.yaml\n    overrides: {seq_length: long}\n", "", nullptr},
    {"    framework: maxtext\n    model: small.yaml\n", "",
     "exp.yaml:3:16 error: a module of 'maxtext' is not read; known: megatron, torchtitan; `trainplan init llama3-8b "
     "mi300x-oam` begins a scenario of your own\n"},
    {"    framework: megatron\n    model: unknown_9B.yaml\n", "",
     "exp.yaml:4:12 error: 'unknown_9B.yaml' is not here: it says the shape of the model; `trainplan import primus "
     "exp.yaml unknown_9B.yaml` with that file of primus/configs/models/megatron, or --model NAME\n"},
    {"    framework: megatron\n    model: ${MODEL_OF_RUN}\n", "", nullptr},
    {"    framework: megatron\n    model: small.yaml\n    overrides: {seq_length: 2048\n", "", nullptr},
    {"    model: small.yaml\n", "",
     "exp.yaml:1:1 error: no module of Primus here; `modules: {pre_trainer: {framework: megatron, ...}}`\n"},
};

}  // namespace

TEST_CASE("an experiment of Primus becomes a scenario") {
  for (const ImportCase& c : kFields) {
    CAPTURE(std::string(c.config));
    const PrimusRun run(c.config, {{"SEQ", "256"}}, c.launch);
    CHECK(run.fields(c.result) == c.result);
    CHECK_MESSAGE(run.told() == "", run.told());
  }
}

TEST_CASE("mistakes of an experiment are reported at their places") {
  for (const ImportCase& c : kTold) {
    CAPTURE(std::string(c.config));
    const PrimusRun run(c.config, {}, c.launch);
    if (c.result) CHECK(run.told() == c.result);
    else CHECK(run.diagnostics.has_errors());
  }
}

TEST_CASE("a default names Primus, and a value its key") {
  const PrimusRun run("    framework: megatron\n    model: small.yaml\n    overrides: {seq_length: 512}\n");
  const std::string text = dsl::write_yaml(run.result.scenario);
  CHECK_MESSAGE(text.find("# default of Primus: micro_batch_size 2\n") != std::string::npos, text);
  CHECK_MESSAGE(text.find("# seq_length 512\n") != std::string::npos, text);
}

TEST_CASE("a variable that nothing sets has a hint") {
  const PrimusRun run("    framework: megatron\n    model: small.yaml\n    overrides: {seq_length: \"${SEQ}\"}\n");
  CHECK(run.told() == "exp.yaml:5:29 error: 'SEQ' has no value; `--env SEQ=VALUE` gives it\n");
}
