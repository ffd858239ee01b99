// Python scripts of NeMo 2 and Megatron-Bridge: names of models and precisions, settings wherever they stand, mistakes.
#include <doctest/doctest.h>

#include "planner/import/core_config.h"
#include "tests/planner/import/import_sample.h"

namespace {

struct ScriptRun : ImportSample {
  ScriptRun(planner::RunReader read, const std::string& text, const std::string& launch = "",
            const std::string& model = "") {
    const planner::RunFiles run = files("a.py", text, launch, model);
    result = read(run, sources, diagnostics);
  }
};

/// A script of Megatron-Bridge around lines that change it.
std::string bridge(const std::string& lines, const std::string& model = "meta-llama/Meta-Llama-3-8B") {
  return "# torchrun --nproc-per-node 8 --nnodes 2 FILE\nimport torch\nfrom megatron.bridge import AutoBridge\n"
         "cfg = ConfigContainer(\n"
         "    model=AutoBridge.from_hf_pretrained(\"" +
         model +
         "\").to_megatron_provider(load_weights=False),\n"
         "    train=TrainingConfig(train_iters=10, global_batch_size=64, micro_batch_size=1),\n"
         "    ddp=DistributedDataParallelConfig(),\n    dataset=GPTDatasetConfig(sequence_length=4096),\n"
         "    scheduler=SchedulerConfig(max_steps=7), optimizer=OptimizerConfig(lr=1e-4), "
         "mixed_precision=\"bf16_mixed\")\n" +
         lines + "pretrain(cfg, forward_step)\n";
}

/// Lines of a script, and fields.
constexpr ImportCase kBridge[] = {
    {"", "",
     "software.use=megatron-bridge; model.use=llama3-8b; cluster.gpus=2 * 8; job.precision=bf16; job.sequence=4096; "
     "job.global_batch=64; parallelism.microbatch=1; job.tokens=10 * job.global_batch * job.sequence"},
    {"cfg.model.tensor_model_parallel_size = 2\ncfg.model.sequence_parallel = True\n", "",
     "parallelism.tp=2; parallelism.sequence_parallel=true"},
    {"cfg.model.pipeline_model_parallel_size = 4\ncfg.model.virtual_pipeline_model_parallel_size = 2\n"
     "cfg.model.overlap_p2p_comm = False\n",
     "", "parallelism.pp=4; parallelism.interleave=2; software.overlap.pipeline=false"},
    {"cfg.model.pipeline_model_parallel_size = 2\ncfg.model.pipeline_model_parallel_layout = \"Et*15|t*17L\"\n", "",
     "parallelism.stages=[15, 17]"},
    // shards: its own, Megatron-Core's FSDP, PyTorch's
    {"cfg.ddp.use_distributed_optimizer = True\n", "", "parallelism.zero=1"},
    {"cfg.ddp.use_megatron_fsdp = True\ncfg.ddp.data_parallel_sharding_strategy = \"optim_grads\"\n", "",
     "parallelism.zero=2"},
    {"cfg.ddp.use_megatron_fsdp = True\n", "", "parallelism.zero=0"},  // no_shard is its default
    {"cfg.dist.use_torch_fsdp2 = True\n", "", "parallelism.zero=3; software.fsdp=true"},
    {"cfg.ddp.use_distributed_optimizer = True\ncfg.ddp.num_distributed_optimizer_instances = 2\n", "",
     "parallelism.zero_group=dp * cp / 2"},
    // what overlaps
    {"cfg.ddp.overlap_grad_reduce = True\n", "", "software.overlap.gradients=true; software.overlap.parameters=false"},
    {"cfg.comm_overlap = CommOverlapConfig(tp_comm_overlap=True)\n", "",
     "software.overlap.gradients=true; software.overlap.parameters=true; software.overlap.tensor=true"},
    {"cfg.comm_overlap = CommOverlapConfig(tp_comm_overlap=False)\n", "", "software.overlap.tensor=false"},
    // recompute, offload, states
    {"cfg.model.recompute_granularity = \"full\"\ncfg.model.recompute_method = \"uniform\"\n"
     "cfg.model.recompute_num_layers = 2\n",
     "", "parallelism.recompute=full; parallelism.recompute_every=2"},
    {"cfg.model.recompute_granularity = \"selective\"\ncfg.model.recompute_modules = [\"core_attn\", \"mlp\"]\n", "",
     "parallelism.recompute=selective; software.selective=[core-attention, mlp]"},
    {"cfg.optimizer.optimizer_cpu_offload = True\ncfg.optimizer.optimizer_offload_fraction = 0.5\n", "",
     "parallelism.offload.optimizer=0.5"},
    {"cfg.model.cpu_offloading = True\ncfg.model.cpu_offloading_num_layers = 4\n", "",
     "parallelism.offload.activations=min(1, 4 * pp / model.layers)"},
    {"cfg.optimizer.use_precision_aware_optimizer = True\ncfg.optimizer.exp_avg_dtype = torch.uint8\n"
     "cfg.optimizer.exp_avg_sq_dtype = torch.bfloat16\n",
     "", "software.memory.optimizer=5"},
    {"cfg.ddp.bucket_size = 40_000_000\n", "", "software.bucket_bytes=160000000 B"},
    // kernels and types
    {"cfg.model.attention_backend = AttnBackend.flash\n", "", "software.attention=flash2"},
    {"cfg.model.apply_rope_fusion = False\ncfg.model.cross_entropy_loss_fusion = False\n", "",
     "software.fusion.rope=false; software.fusion.cross_entropy=false"},
    {"cfg.mixed_precision = bf16_mixed()\ncfg.mixed_precision.grad_reduce_in_fp32 = False\n", "",
     "software.reduce_bytes=2"},
    {"cfg.model.mtp_num_layers = None\ncfg.model.hidden_dropout = 0.1\n", "", "model.mtp=0; model.dropout=0.1"},
    {"cfg.peft = LoRA(dim=16, target_modules=[\"linear_qkv\", \"linear_proj\"])\n", "",
     "job.lora.rank=16; job.lora.targets=attention"},
    {"cfg.peft = LoRA()\n", "", "job.lora.rank=32; job.lora.targets=all"},
    // the command line goes over the script
    {"cfg.model.tensor_model_parallel_size = 2\n",
     "torchrun --nproc-per-node 4 a.py model.tensor_model_parallel_size=4 model.sequence_parallel=true",
     "parallelism.tp=4; parallelism.sequence_parallel=true; cluster.gpus=1 * 4"}};

/// How a run says its numbers, and the precision.
constexpr const char* kPrecisions[][2] = {
    {"\"bf16_mixed\"", "bf16"},
    {"bf16_mixed()", "bf16"},
    {"\"fp16_mixed\"", "fp16"},
    {"MixedPrecisionConfig(fp16=True)", "fp16"},
    {"MixedPrecisionConfig(bf16=True, fp8=\"hybrid\", fp8_recipe=\"tensorwise\")", "fp8"},
    {"get_mixed_precision_config(\"bf16_with_mxfp8_mixed\")", "mxfp8"},
    {"bf16_with_fp8_current_scaling_mixed()", "fp8"},
    {"\"bf16_with_fp8_delayed_scaling_mixed\"", "fp8"},
    {"\"bf16_with_fp8_subchannel_scaling_mixed\"", "fp8"},
    {"\"bf16_with_nvfp4_mixed\"", "nvfp4"}};

/// Configuration classes of NeMo 2, versions and names of the hub, and the catalogue's model.
constexpr const char* kClasses[][2] = {
    {"llm.Llama3Config8B", "llama3-8b"},           {"llm.Llama31Config405B", "llama3.1-405b"},
    {"llm.Llama32Config1B", "llama3.2-1b"},        {"llm.Llama2Config70B", "llama2-70b"},
    {"llm.Qwen3Config30B_A3B", "qwen3-30b-a3b"},   {"llm.Qwen3Config1P7B", "qwen3-1.7b"},
    {"llm.Qwen3Config600M", "qwen3-0.6b"},         {"llm.Qwen25Config7B", "qwen2.5-7b"},
    {"llm.MixtralConfig8x7B", "mixtral-8x7b"},     {"llm.MistralConfig7B", "mistral-7b"},
    {"llm.Nemotron4Config340B", "nemotron4-340b"}, {"llm.Gemma2Config9B", "gemma2-9b"},
    {"llm.DeepSeekV3Config", "deepseek-v3"},       {"llm.GPTConfig175B", "gpt3-175b"}};

std::string nemo2(const std::string& model) {
  return "from nemo.collections import llm\n"
         "trainer = nl.Trainer(devices=8, num_nodes=1, plugins=nl.MegatronMixedPrecision(precision=\"bf16-mixed\"))\n"
         "data = llm.MockDataModule(seq_length=2048, global_batch_size=8, micro_batch_size=1)\n"
         "llm.pretrain(model=" +
         model + ", data=data, trainer=trainer)\n";
}

}  // namespace

TEST_CASE("settings of Megatron-Bridge are fields, wherever the script says them") {
  for (const ImportCase& one : kBridge) {
    CAPTURE(std::string(one.config) + one.launch);
    const ScriptRun run(planner::import_megatron_bridge, bridge(one.config), one.launch);
    CHECK(run.told() == "");
    CHECK(run.fields(one.result) == one.result);
  }
}

TEST_CASE("precisions by name, by a function and by their parts") {
  for (const auto& [said, precision] : kPrecisions) {
    const std::string shown = said;
    CAPTURE(shown);
    const ScriptRun run(planner::import_megatron_bridge, bridge("cfg.mixed_precision = " + std::string(said) + "\n"));
    CHECK(run.told() == "");
    CHECK(run.at("job.precision") == precision);
  }
}

TEST_CASE("models by their classes, by versions and by names of the hub") {
  for (const auto& [name, model] : kClasses) {
    const std::string call = std::string(name) + "()";
    CAPTURE(call);
    CHECK(ScriptRun(planner::import_nemo2, nemo2("llm.GPTModel(" + call + ")")).at("model.use") == model);
    const std::string config = "run.Config(llm.GPTModel, config=run.Config(" + std::string(name) + "))";
    CHECK(ScriptRun(planner::import_nemo2, nemo2(config)).at("model.use") == model);
  }
  CHECK(ScriptRun(planner::import_nemo2, nemo2("qwen3_model(version=\"qwen3_30b_a3b\")")).at("model.use") ==
        "qwen3-30b-a3b");
  CHECK(ScriptRun(planner::import_megatron_bridge, bridge("", "Qwen/Qwen3-32B")).at("model.use") == "qwen3-32b");
  CHECK(ScriptRun(planner::import_megatron_bridge, bridge("", "./folder")).at("model.use") == "hf:./folder");
}

TEST_CASE("a shape of one's own, with the functions of PyTorch") {
  const ScriptRun run(
      planner::import_nemo2,
      nemo2("llm.GPTModel(llm.GPTConfig(num_layers=4, hidden_size=512, ffn_hidden_size=2048, num_attention_heads=8,\n"
            "    num_query_groups=2, vocab_size=32000, seq_length=2048, activation_func=torch.nn.functional.silu,\n"
            "    gated_linear_unit=True, normalization=\"RMSNorm\", add_bias_linear=False,\n"
            "    position_embedding_type=\"rope\", share_embeddings_and_output_weights=False))"));
  CHECK(run.told() == "");
  const std::string shape =
      "model.layers=4; model.hidden=512; model.ffn=2048; model.heads=8; model.kv_heads=2; model.vocab=32000; "
      "model.activation=silu; model.gated_mlp=true; model.norm=rmsnorm; model.bias=false; model.rotary=true; "
      "model.positions=none; model.tied_embeddings=false";
  CHECK(run.fields(shape) == shape);
}

constexpr const char* kSizes =
    "(num_layers=4, hidden_size=512, num_attention_heads=8, ffn_hidden_size=2048, "
    "vocab_size=32000, seq_length=2048)";

/// A family's class with sizes of its own, and the fields that follow from the class.
constexpr const char* kFamilies[][2] = {
    {"llm.GPTConfig", "model.tied_embeddings=true"},
    {"llm.LlamaConfig",
     "model.gated_mlp=true; model.norm=rmsnorm; model.bias=false; model.tied_embeddings=false; "
     "model.rotary=true; model.layers=4"},
    {"llm.Llama3Config", "model.gated_mlp=true; model.kv_heads=8"},
    {"llm.Qwen2Config", "model.qkv_bias=true; model.bias=false; model.vocab=32000"},
    {"llm.Qwen3MoEConfig", "model.experts.count=128; model.experts.top_k=8; model.head_dim=128; model.qk_norm=true"},
    {"llm.MixtralConfig", "model.experts.count=8; model.experts.top_k=2; model.layers=4; model.kv_heads=8"},
    {"Qwen3MoEModelProvider", "model.experts.count=128; model.experts.top_k=8"}};

TEST_CASE("a class without a size has the defaults of its family") {
  for (const auto& [name, fields] : kFamilies) {
    const std::string shown = name;
    CAPTURE(shown);
    const ScriptRun run(planner::import_nemo2, nemo2("llm.GPTModel(" + shown + kSizes + ")"));
    CHECK(run.told() == "");
    CHECK(run.fields(fields) == fields);
  }
  for (const std::string name : {"llm.Llama4Config", "Gemma3ModelProvider", "WanModelProvider"})
    CHECK(ScriptRun(planner::import_nemo2, nemo2(name + kSizes))
              .told()
              .find("'" + name + "' has defaults of its own, which are not read; `--model NAME`") != std::string::npos);
}

TEST_CASE("a table of a script says nothing but where a call takes it") {
  const std::string tables =
      "SMALL = {\"tensor_model_parallel_size\": 8}\nOTHER = dict(expert_model_parallel_size=4)\n";
  const ScriptRun unused(planner::import_megatron_bridge, tables + bridge(""));
  CHECK(unused.fields("parallelism.tp=none; parallelism.ep=none") == "parallelism.tp=none; parallelism.ep=none");
  const ScriptRun used(planner::import_megatron_bridge, tables + bridge("cfg = override(cfg, SMALL)\n"));
  CHECK(used.at("parallelism.tp") == "8");
}

TEST_CASE("what a script lacks is said at its place") {
  const auto told = [](const std::string& text, const std::string& launch = "", const std::string& model = "") {
    return ScriptRun(planner::import_megatron_bridge, text, launch, model).told();
  };
  CHECK(
      told(bridge("", "some-lab/Unheard-7B")) ==
      "a.py:5:41 error: 'some-lab/Unheard-7B' is no model of the catalogue; `--model NAME` with one of `trainplan list "
      "model`, or `--model hf:FOLDER` with its config.json\n");
  CHECK(told(bridge("", "some-lab/Unheard-7B"), "", "llama3-8b") == "");
  CHECK(
      told("import torch\nfrom megatron.bridge import AutoBridge\n") ==
      "a.py:1:1 error: no settings of Megatron-Bridge here; `--recipe NAME` behind the file picks a function of it\n");
  CHECK(told("cfg = llama3_8b_pretrain_config()\ncfg.train.micro_batch_size = 1\n") ==
        "a.py:1:7 error: 'llama3_8b_pretrain_config' is not here: it says the defaults of the run; `trainplan import "
        "megatron-bridge a.py RECIPE.py` with the file of the recipe\n");
  CHECK(told("trainer = trainer_of(8)\nrecipe = run.Partial(pretrain, trainer=trainer)\n")
            .find("'trainer_of' is not here") != std::string::npos);
  CHECK(told("recipe = run.Partial(pretrain, model=mixtral_8x22b.model(), trainer=run.Config(nl.Trainer))\n")
            .find("'mixtral_8x22b.model' is not here") != std::string::npos);
  CHECK(told("r = run.Partial(pretrain, model=run.Config(llm.LlamaModel, config=run.Config(Llama31Nemotron70BConfig)), "
             "trainer=run.Config(nl.Trainer, devices=8))\n")
            .find("'Llama31Nemotron70BConfig' is no model of the catalogue; `--model NAME`") != std::string::npos);
  CHECK(told(bridge("cfg.peft = LoRA(dim=16, target_modules=modules_of(3))\n"))
            .find("what this is, is not worked out, and the adapters depend on it; put a value in its place") !=
        std::string::npos);
  CHECK(told(bridge("cfg.peft = IA3(dim=4)\n")).find("adapters of 'IA3' are not planned") != std::string::npos);
  CHECK(told(bridge(""), "run.py --recipe=f num_nodes=8").find("'f'") != std::string::npos);
  CHECK(told(bridge("cfg.model.sequence_parallel = \"often\"\n"))
            .find("error: expected true or false for sequence_parallel, got 'often'") != std::string::npos);
  CHECK(told(bridge("cfg.model.tensor_model_parallel_size = two\n")).find("a.py:10:40 error: ") != std::string::npos);
}
