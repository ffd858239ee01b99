// Runs of NeMo, NeMo 2 and Megatron-Bridge as scenarios.
#include "planner/import/core_config.h"

#include <doctest/doctest.h>

#include "tests/planner/import/import_sample.h"

namespace {

struct CoreRun : ImportSample {
  CoreRun(planner::RunReader read, const char* name, const std::string& text, const std::string& launch = "",
          const std::string& more = "") {
    planner::RunFiles run = files(name, text, launch, "");
    if (!more.empty()) run.more.push_back(&sources.emplace_back(dsl::Source{"llama3_70b.py", more, "."}));
    result = read(run, sources, diagnostics);
  }
};

const std::string kNemo =
    "trainer: {devices: 8, num_nodes: 4, precision: bf16, max_steps: 100}\n"
    "model:\n"
    "  mcore_gpt: true\n  micro_batch_size: 2\n  global_batch_size: 64\n  tensor_model_parallel_size: 4\n"
    "  pipeline_model_parallel_size: 2\n  virtual_pipeline_model_parallel_size: 3\n  encoder_seq_length: 4096\n"
    "  max_position_embeddings: ${.encoder_seq_length}\n  num_layers: 12\n  hidden_size: 768\n"
    "  ffn_hidden_size: ${multiply:4, ${.hidden_size}}\n  num_attention_heads: 12\n  normalization: rmsnorm\n"
    "  activation: fast-swiglu\n  position_embedding_type: rope\n  override_vocab_size: 32000\n  bias: false\n"
    "  sequence_parallel: true\n  optim: {name: distributed_fused_adam, lr: 2e-4}\n";

constexpr ImportCase kNemoFields[] = {
    {"", "",
     "software.use=nemo; cluster.gpus=4 * 8; job.precision=bf16; job.tokens=100 * job.global_batch * job.sequence; "
     "job.sequence=4096; job.global_batch=64; parallelism.microbatch=2; parallelism.tp=4; parallelism.pp=2; "
     "parallelism.interleave=3; parallelism.zero=1; parallelism.sequence_parallel=true; model.layers=12; "
     "model.norm=rmsnorm; model.activation=silu; model.gated_mlp=true; model.rotary=true; model.vocab=32000; "
     "model.bias=false"},
    {"  activations_checkpoint_granularity: full\n  activations_checkpoint_method: block\n"
     "  activations_checkpoint_num_layers: 1\n",
     "", "parallelism.recompute=full; parallelism.recompute_layers=min(model.layers, 1 * pp * interleave)"},
    {"  fp8: true\n  fp8_hybrid: true\n  apply_rope_fusion: false\n  ub_tp_comm_overlap: false\n", "",
     "job.precision=fp8; software.fusion.rope=false; software.overlap.tensor=false"},
    {"  peft: {peft_scheme: lora, lora_tuning: {adapter_dim: 16, target_modules: [attention_qkv]}}\n", "",
     "job.lora.rank=16; job.lora.targets=qkv"},
    {"  share_embeddings_and_output_weights: false\n  context_parallel_size: 2\n", "torchrun --nnodes 2 x.py",
     "model.tied_embeddings=false; parallelism.cp=2"},
    {"  transformer_engine: true\n  use_flash_attention: true\n", "", "software.attention=flash2"},
    // the command line goes over the file
    {"  fp8_hybrid: true\n", "python pretrain.py trainer.num_nodes=2 ++model.fp8=True model.sequence_parallel=False",
     "cluster.gpus=2 * 8; job.precision=fp8; parallelism.sequence_parallel=none"},
    {"  peft: {peft_scheme: lora, lora_tuning: {adapter_dim: 8, target_modules: [mlp]}}\n", "",
     "job.lora.rank=8; job.lora.targets=mlp"}};

/// Lines of the model, and what is said of them.
constexpr const char* kNemoMistakes[][2] = {
    {"  hyena: {bias: true}\n",
     "a.yaml:22:10 error: 'model.hyena' is of another model than GPT, which is not planned; `trainplan list model` has "
     "models of other kinds\n"},
    {"  peft: {peft_scheme: ptuning}\n", "a.yaml:22:23 error: adapters of 'ptuning' are not planned; lora is\n"},
    {"  num_layer: 3\n", "a.yaml:22:3 warning: unknown key 'model.num_layer'; did you mean 'num_layers'?\n"},
    {"  kv_channels: ${divide:7, 2}\n",
     "a.yaml:22:16 error: expected a number, 0 or more, for model.kv_channels, got '${divide:7, 2}', which the text "
     "does "
     "not set\n"}};

const std::string kNemo2 =
    "from nemo import lightning as nl\nfrom nemo.collections import llm\n"
    "config = llm.Llama3Config70B()\n"
    "strategy = nl.MegatronStrategy(tensor_model_parallel_size=4, pipeline_model_parallel_size=4,\n"
    "    virtual_pipeline_model_parallel_size=5, sequence_parallel=True, pipeline_dtype=torch.bfloat16)\n"
    "trainer = nl.Trainer(devices=8, num_nodes=8, max_steps=10, strategy=strategy,\n"
    "    plugins=nl.MegatronMixedPrecision(precision='bf16-mixed'))\n"
    "data = llm.MockDataModule(seq_length=8192, global_batch_size=128, micro_batch_size=1)\n"
    "llm.pretrain(model=llm.LlamaModel(config), data=data, trainer=trainer)\n";

}  // namespace

TEST_CASE("a configuration of NeMo becomes a scenario") {
  for (const ImportCase& one : kNemoFields) {
    CAPTURE(one.config);
    const CoreRun run(planner::import_nemo, "a.yaml", kNemo + one.config, one.launch);
    CHECK(run.told() == "");
    CHECK(run.fields(one.result) == one.result);
  }
}

TEST_CASE("what NeMo's YAML says of other models, adapters and keys is not lost") {
  for (const auto& [lines, told] : kNemoMistakes) {
    const CoreRun run(planner::import_nemo, "a.yaml", kNemo + lines);
    const std::string expected = told;
    CHECK(run.told() == expected);
  }
}

TEST_CASE("a script of NeMo 2 becomes a scenario, with the recipe that it calls") {
  const std::string expected =
      "software.use=nemo; model.use=llama3-70b; parallelism.tp=4; parallelism.pp=4; parallelism.interleave=5; "
      "parallelism.sequence_parallel=true; cluster.gpus=8 * 8; job.precision=bf16; job.sequence=8192; "
      "job.global_batch=128; parallelism.microbatch=1";
  const CoreRun whole(planner::import_nemo2, "a.py", kNemo2);
  CHECK(whole.told() == "");
  CHECK(whole.fields(expected) == expected);
  const std::string recipe =
      kNemo2.substr(0, kNemo2.find("config")) +
      "def pretrain_recipe(num_nodes: int = 1, dir=None):\n"
      "    return run.Partial(llm.pretrain,\n"
      "        model=run.Config(llm.LlamaModel, config=run.Config(llm.Llama3Config70B)),\n"
      "        trainer=run.Config(nl.Trainer, devices=8, num_nodes=num_nodes, plugins=bf16_mixed(),\n"
      "            strategy=run.Config(nl.MegatronStrategy, tensor_model_parallel_size=2)),\n"
      "        data=run.Config(llm.MockDataModule, seq_length=4096, global_batch_size=64, micro_batch_size=2),\n"
      "        optim=distributed_fused_adam_with_cosine_annealing(max_lr=3e-4))\n";
  const std::string script =
      "import nemo_run as run\nfrom nemo.collections import llm\n"
      "recipe = llm.llama3_70b.pretrain_recipe(num_nodes=4)\n"
      "recipe.trainer.strategy.tensor_model_parallel_size = 8\nrecipe.trainer.plugins.grad_reduce_in_fp32 = False\n"
      "run.run(recipe)\n";
  const std::string ours =
      "model.use=llama3-70b; parallelism.tp=8; parallelism.zero=1; cluster.gpus=4 * 8; job.precision=bf16; "
      "job.sequence=4096; parallelism.microbatch=2; software.reduce_bytes=2";
  const CoreRun both(planner::import_nemo2, "a.py", script, "", recipe);
  CHECK(both.told() == "");
  CHECK(both.fields(ours) == ours);
  CHECK(CoreRun(planner::import_nemo2, "a.py", script).told() ==
        "a.py:3:10 error: 'llm.llama3_70b.pretrain_recipe' is not here: it says the defaults of the run; "
        "`trainplan import nemo2 a.py llama3_70b.py` with the file of the recipe\n");
}
