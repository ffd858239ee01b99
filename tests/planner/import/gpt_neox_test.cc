// Configurations of GPT-NeoX as scenarios.
#include "planner/import/gpt_neox.h"

#include <doctest/doctest.h>

#include <set>

#include "planner/import/gpt_neox_table.h"
#include "tests/planner/export/export_sample.h"
#include "tests/planner/import/import_sample.h"

namespace {

constexpr const char* kModel =
    "\"num_layers\": 24, \"hidden_size\": 2048, \"num_attention_heads\": 16, \"seq_length\": 2048, ";

struct NeoxFiles : ImportSample {
  explicit NeoxFiles(const std::string& body, const std::string& launch = "", const std::string& second = "",
                     bool whole = true) {
    planner::RunFiles run = files("m.yml", "{" + std::string(whole ? kModel : "") + body + "}\n", launch, "");
    if (!second.empty()) run.more.push_back(&sources.emplace_back(dsl::Source{"s.yml", second, "."}));
    result = planner::import_gpt_neox(run, sources, diagnostics);
  }
};

/// Keys beside a model's sizes, a launch line, and fields.
constexpr ImportCase kFields[] = {
    {R"("train_micro_batch_size_per_gpu": 4, "pipe_parallel_size": 2, "model_parallel_size": 4, "num_gpus": 8)", "",
     "software.use=megatron-deepspeed; model.layers=24; parallelism.pp=2; parallelism.tp=4; parallelism.microbatch=4; "
     "job.global_batch=1 * parallelism.microbatch * parallelism.dp; job.precision=fp32; model.ffn=8192; "
     "model.dropout=0.0; model.vocab=50688; cluster.gpus=1 * 8"},
    {R"("train_batch_size": 64, "gradient_accumulation_steps": 2)", "",
     "job.global_batch=64; parallelism.microbatch=job.global_batch / (2 * parallelism.dp)"},
    {R"("train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 32)", "",
     "job.global_batch=32 * parallelism.microbatch * parallelism.dp; cluster.gpus=FILL_IN"},
    // "-" and "_" are the same; Python's words
    {R"("train_micro_batch_size_per_gpu": 1, "pipe-parallel-size": 2, "no-weight-tying": True, "checkpoint-activations": True)",
     "", "parallelism.pp=2; model.tied_embeddings=false; parallelism.recompute=full"},
    {R"("train_micro_batch_size_per_gpu": 1, "pipe_parallel_size": 0, "zero_optimization": {"stage": 2, "overlap_comm": True})",
     "", "parallelism.pp=none; parallelism.zero=2; software.overlap.gradients=true"},
    // precision
    {R"("train_micro_batch_size_per_gpu": 1, "fp16": {"enabled": true})", "",
     "job.precision=fp16; parallelism.zero=none"},
    {R"("train_micro_batch_size_per_gpu": 1, "precision": "bfloat16")", "", "job.precision=bf16; parallelism.zero=1"},
    // shape
    {R"("train_micro_batch_size_per_gpu": 1, "activation": "swiglu", "intermediate_size": 8192, "mlp_multiple_of": 256)",
     "", "model.gated_mlp=true; model.activation=silu; model.ffn=2816"},
    {R"("train_micro_batch_size_per_gpu": 1, "norm": "rmsnorm", "pos_emb": "rotary", "num_kv_heads": 4)", "",
     "model.norm=rmsnorm; model.rotary=true; model.kv_heads=4; software.fusion.norm=false; model.positions=none"},
    {R"("train_micro_batch_size_per_gpu": 1, "pos_emb": "none")", "", "model.rotary=none; model.positions=none"},
    {R"("train_micro_batch_size_per_gpu": 1, "max_position_embeddings": 4096)", "", "model.positions=4096"},
    {R"("train_micro_batch_size_per_gpu": 1, "gpt_j_residual": true, "use_bias_in_mlp": false)", "",
     "model.parallel_block=true; model.bias=false"},
    {R"("train_micro_batch_size_per_gpu": 1, "tokenizer_type": "HFTokenizer", "vocab_file": "a/20B_tokenizer.json")",
     "", "model.vocab=50304"},
    {R"("train_micro_batch_size_per_gpu": 1, "tokenizer_type": "SPMTokenizer")", "", "model.vocab=FILL_IN"},
    {R"("train_micro_batch_size_per_gpu": 1, "moe_num_experts": 8, "moe_top_k": 2)", "",
     "model.experts.count=8; model.experts.top_k=2; model.experts.every=1; job.routing.capacity=0"},
    // software
    {R"("train_micro_batch_size_per_gpu": 1, "attention_config": [[["flash"], 24]], "bias_gelu_fusion": true)", "",
     "software.attention=flash2; software.fusion.bias_activation=true; software.fusion.softmax=false; "
     "software.fusion.rope=false"},
    {R"("train_micro_batch_size_per_gpu": 1)", "deepy.py train.py --num_gpus 8 --num_nodes 4", "cluster.gpus=4 * 8"},
};

constexpr ImportCase kTold[] = {
    {R"("train_micro_batch_size_per_gpu": 1, "pipe_paralel_size": 2)", "",
     "m.yml:1:125 error: unknown key 'pipe_paralel_size': GPT-NeoX refuses it; did you mean 'pipe_parallel_size'?\n"},
    {R"("train_micro_batch_size_per_gpu": "few")", "", nullptr},
    {R"("gradient_accumulation_steps": 2)", "",
     "m.yml:1:1 error: missing key train_micro_batch_size_per_gpu or train_batch_size; "
     "`\"train_micro_batch_size_per_gpu\": 4`, or the other files of the run behind this one\n"},
    {R"("train_micro_batch_size_per_gpu": 1, "fp16": {"enabled": true}, "precision": "bfloat16")", "", nullptr},
    {R"("train_micro_batch_size_per_gpu": 1, "attention_config": [[["mamba"], 24]])", "",
     "m.yml:1:148 error: layers of 'mamba' are not read; known: global, flash; `trainplan list model` has models with "
     "other layers\n"},
    {R"("train_micro_batch_size_per_gpu": 1, "no_weight_tying": maybe)", "", nullptr},
    {R"("train_micro_batch_size_per_gpu": 1, "partition_activations": true)", "", nullptr},
};

}  // namespace

TEST_CASE("a configuration of GPT-NeoX becomes a scenario") {
  for (const ImportCase& c : kFields) {
    CAPTURE(std::string(c.config));
    const NeoxFiles run(c.config, c.launch);
    CHECK(run.fields(c.result) == c.result);
    CHECK_MESSAGE(run.told() == "", run.told());
  }
}

TEST_CASE("mistakes of a configuration of GPT-NeoX are reported at their places") {
  for (const ImportCase& c : kTold) {
    CAPTURE(std::string(c.config));
    const NeoxFiles run(c.config, c.launch);
    if (c.result) CHECK(run.told() == c.result);
    else CHECK(!run.diagnostics.list.empty());
  }
}

TEST_CASE("files of GPT-NeoX are joined, and a key is in one of them") {
  const NeoxFiles run(R"("train_micro_batch_size_per_gpu": 1)", "", "{\"num_gpus\": 8, \"data-path\": \"d\"}\n");
  CHECK(run.at("cluster.gpus") == "1 * 8");
  const NeoxFiles twice(R"("train_micro_batch_size_per_gpu": 1)", "", "{\"num-layers\": 8}\n");
  CHECK(twice.told() == "s.yml:1:2 error: 'num_layers' is given twice: GPT-NeoX refuses it; give one of them\n");
}

TEST_CASE("the shipped example of GPT-NeoX is the model of 20 billion parameters") {
  ImportSample sample;
  planner::RunFiles run = sample.files("model.yml", import_text("gpt-neox/model.yml"), "", "");
  run.more.push_back(&sample.sources.emplace_back(dsl::Source{"setup.yml", import_text("gpt-neox/setup.yml"), "."}));
  sample.result = planner::import_gpt_neox(run, sample.sources, sample.diagnostics);
  CHECK(sample.told() == "");
  CHECK(sample.at("model.vocab") == "50432");
  CHECK(sample.at("cluster.gpus") == "12 * 8");
  CHECK(sample.loaded());
}

TEST_CASE("a key of GPT-NeoX has one role, and one that stands for a flag stands for one of Megatron-DeepSpeed") {
  const planner::KeyTable& table = planner::neox::key_table();
  std::set<std::string> seen;
  for (const planner::FieldKey& row : table.fields) CHECK(seen.insert(row.name).second);
  for (const auto& rows : {table.rules, table.lost, table.idle})
    for (const char* name : rows) CHECK_MESSAGE(seen.insert(name).second, std::string(name));
  for (const planner::OldName& row : table.old_names) {
    CHECK_MESSAGE(seen.insert(row.old).second, std::string(row.old));
    CHECK_MESSAGE((planner::megatron::megatron_deepspeed().reads(row.now) || planner::reads_flag_of(table)(row.now)),
                  std::string(row.now));
  }
}
