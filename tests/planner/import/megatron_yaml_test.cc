// YAML files of Megatron-LM, and launch lines beside them, as scenarios.
#include "planner/import/megatron_yaml.h"

#include <doctest/doctest.h>

#include "dsl/write.h"
#include "planner/import/megatron.h"
#include "planner/plan/plan.h"
#include "tests/planner/export/export_sample.h"
#include "tests/planner/import/import_sample.h"

namespace {

/// A YAML of Megatron-LM, and a launch line beside it.
struct Yaml : ImportSample {
  explicit Yaml(const std::string& text, const std::string& launch = "") {
    result = planner::import_megatron(files("gpt.yaml", text, launch, ""), sources, diagnostics);
  }
};

const std::string kSmall =
    "language_model: {num_layers: 4, hidden_size: 1024, num_attention_heads: 16, hidden_dropout: 0, "
    "attention_dropout: 0}\nmodel_parallel: {bf16: True}\nseq_length: 512\nmicro_batch_size: 2\nvocab_size: 1000\n"
    "max_position_embeddings: 512\n";

/// Lines behind kSmall, a launch line, and the expected fields or messages.
constexpr ImportCase kYamlFields[] = {
    {"", "", "model.layers=4; job.precision=bf16; model.dropout=0; cluster.gpus=FILL_IN"},
    {"", "torchrun --nproc_per_node 8 --nnodes 2 a.py --num-layers 9", "cluster.gpus=2 * 8; model.layers=4"},
    {"activation_func: swiglu\nbias_swiglu_fusion: no", "",
     "model.gated_mlp=true; model.activation=silu; model.ffn=2688; software.fusion.bias_activation=false"},
    {"activation_func: squaredrelu\nswiglu: true", "", "model.gated_mlp=none; model.activation=squared-relu"},
    {"activation_func: gelu\ngated_linear_unit: true\nbias_activation_fusion: false", "",
     "model.gated_mlp=true; model.activation=none; software.fusion.bias_activation=false"},
    {"swiglu: true", "", "model.activation=silu"},
    {"add_bias_linear: False\napply_rope_fusion: off\nmasked_softmax_fusion: True", "",
     "model.bias=false; software.fusion.rope=false; software.fusion.softmax=none"},
    {"add_bias_linear: 0\napply_rope_fusion: 0\nmasked_softmax_fusion: 1", "",
     "model.bias=false; software.fusion.rope=false; software.fusion.softmax=none"},
    {"activation_func: gelu", "", "software.fusion.bias_activation=false"},
    {"activation_func: gelu\nbias_activation_fusion: true\nadd_bias_linear: true", "",
     "software.fusion.bias_activation=false"},
    {"activation_func: gelu\nbias_activation_fusion: true\nadd_bias_linear: false", "",
     "software.fusion.bias_activation=none"},
    {"activation_func: gelu\nbias_activation_fusion: false\nadd_bias_linear: 0", "",
     "software.fusion.bias_activation=false"},
    {"overlap_p2p_comm: false", "", "software.overlap.pipeline=none"},
    {"overlap_p2p_comm: false\npipeline_model_parallel_size: 2\nnum_layers_per_virtual_pipeline_stage: 1", "",
     "software.overlap.pipeline=false; parallelism.interleave=2"},
    {"num_moe_experts: 8\nmoe_router_topk: 1\nmoe_layer_freq: [0, 1, 0, 1]", "",
     "model.experts.count=8; model.experts.top_k=1; model.experts.first_dense=0; model.experts.every=2"},
    {"recompute_granularity: selective\nrecompute_modules: [core_attn, moe_act]", "",
     "parallelism.recompute=selective; software.selective=[core-attention, expert-activation]"},
    {"window_size: [127, 0]", "", "model.window.size=127"},
    {"fp8: hybrid\nfp8_wgrad: true", "", "job.precision=fp8"},
    {"cpu_offloading: true\ncpu_offloading_num_layers: 2", "",
     "parallelism.offload.activations=min(1, 2 * pp / model.layers)"},
    {"cpu_offloading_num_layers: 2", "", "parallelism.offload.activations=none"},
    {"use_distributed_optimizer: 0\noverlap_grad_reduce: 1\nswiglu: 1", "",
     "parallelism.zero=none; software.overlap.gradients=true; model.activation=silu"},
    {"swiglu: 0\nsequence_parallel: 0", "", "model.activation=none; parallelism.sequence_parallel=none"},
    {"use_distributed_optimizer: yes\noverlap_grad_reduce: true", "",
     "parallelism.zero=1; software.overlap.gradients=true"},
};

constexpr ImportCase kYamlTold[] = {
    {"hiden_size: 8", "", "gpt.yaml:7:1 warning: unknown key 'hiden_size'; did you mean 'hidden_size'?\n"},
    {"hiden_size: null\nrampup_batch_size: null\nspec: null", "", ""},
    {"use_flash_atn: false", "", "gpt.yaml:7:1 warning: unknown key 'use_flash_atn'; did you mean 'use_flash_attn'?\n"},
    {"use_flash_attn: false\nmoe_token_dropping: false\nstandalone_embedding_stage: no\nlog_progress: false", "", ""},
    {"apply_rope_fusion: maybe", "",
     "gpt.yaml:7:20 error: expected true or false for apply_rope_fusion, got 'maybe'\n"},
    {"add_bias_linear: 2", "", "gpt.yaml:7:18 error: expected true or false for add_bias_linear, got '2'\n"},
    {"rampup_batch_size: [32, 32, 1000]", "",
     "gpt.yaml:7:1 warning: rampup_batch_size has no counterpart in a plan and is left out\n"},
    {"moe_token_dropping: True", "",
     "gpt.yaml:7:1 warning: moe_token_dropping has no counterpart in a plan and is left out\n"},
    {"global_batch_size: many", "",
     "gpt.yaml:7:20 error: expected a number, 0 or more, for global_batch_size, got 'many'\n"},
    {"tensor_model_parallel_size: ${TP}", "",
     "gpt.yaml:7:29 error: expected a number, 0 or more, for tensor_model_parallel_size, got '${TP}', which the text "
     "does not set\n"},
    {"recompute_granularity: some", "", "gpt.yaml:7:24 error: expected full or selective, got 'some'\n"},
    {"position_embedding_type: sine", "", "gpt.yaml:7:26 warning: position_embedding_type: 'sine' is left out\n"},
    {"data: {path: x}", "", "gpt.yaml:7:1 warning: unknown section 'data'\n"},
};

}  // namespace

TEST_CASE("keys of Megatron-LM's YAML become the fields of the flags that they stand for") {
  for (const ImportCase& c : kYamlFields) {
    CAPTURE(std::string(c.config));
    const Yaml import(kSmall + c.config, c.launch);
    CHECK_MESSAGE(!import.diagnostics.has_errors(), import.told());
    for (const std::string& one : parts_of(c.result, "; ")) {
      const size_t equals = one.find('=');
      CHECK(one.substr(0, equals) + "=" + import.at(one.substr(0, equals)) == one);
    }
  }
}

TEST_CASE("messages about Megatron-LM's YAML name its keys, at their places") {
  for (const ImportCase& c : kYamlTold) {
    CAPTURE(std::string(c.config));
    CHECK(Yaml(kSmall + c.config, c.launch).told() == c.result);
  }
  CHECK(Yaml("language_model: {num_layers: 2}\nmodel_parallel: null\n").told() ==
        "gpt.yaml:1:1 error: missing key hidden_size\ngpt.yaml:1:1 error: missing key num_attention_heads\n"
        "gpt.yaml:1:1 error: missing key seq_length\ngpt.yaml:1:1 error: missing key micro_batch_size\n");
  CHECK(Yaml("model_parallel:\n").told() == "gpt.yaml:1:1 error: no arguments of Megatron-LM here\n");
  CHECK(Yaml("language_model: 5\nmodel_parallel: {bf16: true}\n")
            .told()
            .starts_with("gpt.yaml:1:17 error: 'language_model' holds arguments, got '5'\n"));
  CHECK(Yaml("- 1\nmodel_parallel: {}\n").diagnostics.has_errors());
}

TEST_CASE("a YAML of Megatron-LM and its launch line are a whole scenario") {
  Yaml import(import_text("megatron/gpt.yaml"), "torchrun --nproc_per_node 8 --nnodes 128 a.py --yaml-cfg gpt.yaml");
  CHECK(import.told() == "");
  const auto loaded = import.loaded();
  REQUIRE_MESSAGE(loaded, import.told());
  const planner::Scenario& s = loaded->scenario;
  CHECK((s.cluster.gpus == 1024 && s.parallelism.tp == 8 && s.parallelism.pp == 16 && s.parallelism.dp == 8));
  CHECK((s.parallelism.interleave == 2 && !s.software.overlap.pipeline && s.parallelism.zero == 1));
  CHECK((s.model.ffn == 4 * 12288 && !s.model.gated_mlp && s.model.vocab == 51200 && s.model.tied_embeddings));
  CHECK((!s.software.fusion.bias_dropout_add && !s.software.fusion.bias_activation));
  CHECK(s.parallelism.recompute == planner::Recompute::selective);
  CHECK(dsl::node_at(import.result.scenario, "model.ffn")->comment == "ffn_hidden_size: default of Megatron-LM");
  CHECK(dsl::node_at(import.result.scenario, "parallelism.tp")->comment == "tensor_model_parallel_size 8");
  const std::vector<std::string> want{"layernorm_epsilon", "lr", "log_throughput", "--yaml-cfg"};
  CHECK(import.result.ignored == want);
}

TEST_CASE("a YAML says what the flags of the same letters say") {
  Yaml line(
      std::string("--nproc-per-node 8 --num-layers 4 --hidden-size 1024 --num-attention-heads 16 --seq-length 512 "
                  "--max-position-embeddings 1024 --micro-batch-size 2 --global-batch-size 32 --vocab-size 1000 "
                  "--swiglu --normalization RMSNorm --group-query-attention --num-query-groups 4 "
                  "--disable-bias-linear --tensor-model-parallel-size 2 --sequence-parallel "
                  "--bf16 --use-distributed-optimizer --no-rope-fusion --train-iters 10"));
  const Yaml yaml(
      "language_model: {num_layers: 4, hidden_size: 1024, num_attention_heads: 16, normalization: RMSNorm, "
      "num_query_groups: 4, add_bias_linear: false, activation_func: swiglu, apply_rope_fusion: false}\n"
      "model_parallel: {tensor_model_parallel_size: 2, sequence_parallel: true, bf16: true}\n"
      "seq_length: 512\nmax_position_embeddings: 1024\nmicro_batch_size: 2\nglobal_batch_size: 32\nvocab_size: 1000\n"
      "group_query_attention: true\nuse_distributed_optimizer: true\ntrain_iters: 10\n",
      "torchrun --nproc-per-node 8 pretrain_gpt.py");
  CHECK((line.told() == "" && yaml.told() == ""));
  const auto bare = [](dsl::Node scenario) {
    const auto drop = [](auto& self, dsl::Node& node) -> void {
      node.comment.clear();
      for (dsl::Entry& e : node.entries) self(self, e.value);
    };
    drop(drop, scenario);
    return dsl::write_yaml(scenario);
  };
  CHECK(bare(line.result.scenario) == bare(yaml.result.scenario));
}

TEST_CASE("a text is Megatron-LM's YAML by its sections") {
  for (const char* text : {"language_model:\n", "# one\nmodel_parallel: {}\n", "a: 1\nlanguage_model: {num_layers: 2}"})
    CHECK(planner::megatron::is_yaml({"a", text, ""}));
  for (const char* text :
       {"", "a:\n  language_model: 1\n", "--num-layers 2", "# language_model:", "language_models: 1"})
    CHECK(!planner::megatron::is_yaml({"a", text, ""}));
}
