// Command lines of Megatron-LM as scenarios.
#include "planner/import/megatron.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "dsl/node_path.h"
#include "dsl/write.h"
#include "planner/import/megatron_table.h"
#include "planner/plan/plan.h"
#include "planner/resolve/read.h"

namespace {

/// A text imported, and the scenario it becomes.
struct Import {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  planner::ImportedRun result;

  explicit Import(const std::string& text, const std::string& cluster = "dgx-h100") {
    const dsl::Source& source = sources.emplace_back(dsl::Source{"run.sh", text, "."});
    result = planner::import_megatron({.config = &source, .launch = nullptr, .model = "", .cluster = cluster}, sources,
                                      diagnostics);
  }
  Import(const Import&) = delete;

  std::string at(const std::string& path) const {
    const dsl::Node* node = dsl::node_at(result.scenario, path);
    return node ? node->text : "none";
  }
  std::string told() const {
    std::string out;
    for (const dsl::Diagnostic& d : diagnostics.list)
      out += (d.severity == dsl::Severity::error ? "error: " : "warning: ") + d.message + "\n";
    return out;
  }
  planner::LoadedScenario loaded() {
    REQUIRE_MESSAGE(!diagnostics.has_errors(), told());
    const dsl::Source& source =
        sources.emplace_back(dsl::Source{"import.yaml", dsl::write_yaml(result.scenario), "/nowhere"});
    const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
    auto scenario = planner::read_scenario(source, {}, catalog, sources, diagnostics);
    REQUIRE_MESSAGE(scenario, told());
    return std::move(*scenario);
  }
};

std::string script(const std::string& name) {
  std::ifstream in(std::string(TRAINPLAN_SOURCE_DIR "/tests/planner/import/megatron/") + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

constexpr const char* kTiny =
    "--nproc-per-node 8 --num-layers 4 --hidden-size 1024 --num-attention-heads 16 --seq-length 512 "
    "--max-position-embeddings 1024 --micro-batch-size 2 --global-batch-size 32 --vocab-size 1000 ";

/// The field after some more flags.
std::string with(const std::string& flags, const std::string& path) { return Import(kTiny + flags).at(path); }
std::string told(const std::string& flags) { return Import(kTiny + flags).told(); }

planner::Model catalogue_model(const std::string& name) {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  const dsl::Source source{
      "a.yaml",
      "model: {use: " + name + "}\njob: {sequence: 4096, global_batch: 8}\ncluster: {use: dgx-h100, gpus: 8}\n",
      "/nowhere"};
  const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  return planner::read_scenario(source, {}, catalog, sources, diagnostics)->scenario.model;
}

}  // namespace

TEST_CASE("GPT-3 175B's script is the scenario of its paper") {
  Import import(script("gpt3-175b.sh"), "dgx-a100-80gb");
  CHECK(import.told() == "");
  const planner::Scenario s = import.loaded().scenario;
  CHECK(planner::parameters(s.model) / 175e9 == doctest::Approx(1).epsilon(0.01));
  CHECK(s.cluster.gpus == 128);
  CHECK((s.parallelism.tp == 8 && s.parallelism.pp == 16 && s.parallelism.dp == 1));
  CHECK(s.job.tokens == 500000LL * 1536 * 2048);
  CHECK(s.job.precision == planner::Precision::fp16);
  CHECK(s.model.vocab == 51200);   // 50257 padded to a multiple of 128 x 8
  CHECK(s.model.dropout == 0.1);   // Megatron-LM's default
  CHECK(s.model.tied_embeddings);  // and so is this
  CHECK(s.parallelism.zero == 0);
  CHECK(!s.software.overlap.gradients);
  CHECK(import.result.ignored == std::vector<std::string>{"--master_addr", "--weight-decay", "--lr", "--data-path",
                                                          "--split", "--save", "--load"});
  CHECK(planner::make_plan(s).feasible);
}

TEST_CASE("Mixtral's options in strings are read through the shell that runs them") {
  Import import(script("mixtral-8x7b.sh"));
  CHECK(import.told() == "");
  CHECK(!import.result.complete);
  CHECK(import.at("cluster.gpus") == "FILL_IN");
  CHECK(import.at("parallelism.interleave") == "1");
  CHECK(import.at("parallelism.sequence_parallel") == "none");  // tp is 1
  CHECK(import.at("software.experts.dispatch") == "all-to-all");
  CHECK(import.at("model.experts.top_k") == "2");
}

TEST_CASE("the flags of DeepSeek-V3 give the model of the catalogue") {
  Import import(script("deepseek-v3.sh"));
  CHECK(import.told() == "");
  const planner::Scenario s = import.loaded().scenario;
  const planner::Model m = catalogue_model("deepseek-v3");
  CHECK(planner::parameters(s.model) == planner::parameters(m));
  CHECK(planner::active_parameters(s.model) == planner::active_parameters(m));
  CHECK(planner::forward_flops(s.model, 4096, 4096, true) == planner::forward_flops(m, 4096, 4096, true));
  CHECK(s.model.experts.groups_per_token == m.experts.groups_per_token);
  CHECK(s.cluster.gpus == 1024);
  CHECK(s.parallelism.stages == std::vector<int64_t>{3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 2});
  CHECK(s.software.memory.optimizer == 8);
  CHECK(s.software.selective == std::vector{planner::Selective::core_attention, planner::Selective::latent_up});
  CHECK(s.software.scaling == planner::Scaling::block);
}

TEST_CASE("what is not given has Megatron-LM's defaults") {
  for (const auto& [path, value] : {std::pair{"model.ffn", "4096"},
                                    {"model.dropout", "0.1"},
                                    {"model.tied_embeddings", "true"},
                                    {"model.positions", "1024"},
                                    {"model.vocab", "1024"},
                                    {"job.precision", "fp32"},
                                    {"job.optimizer", "adam"},
                                    {"parallelism.zero", "none"},
                                    {"model.rotary", "none"},
                                    {"software.overlap.parameters", "false"}}) {
    const auto& said = path;
    CHECK_MESSAGE(with("", path) == value, std::string(said));
  }
  CHECK(with("--optimizer muon", "job.optimizer") == "muon");
  CHECK(with("--optimizer muon", "job.muon.mode") == "blockwise");
  CHECK(with("--optimizer muon", "parallelism.zero") == "none");
  CHECK(with("--optimizer dist_muon", "job.optimizer") == "muon");
  CHECK(with("--optimizer dist_muon", "parallelism.zero") == "1");
  CHECK(with("--optimizer dist_muon --muon-tp-mode layer_sharded", "job.muon.mode") == "layer-sharded");
  CHECK(with("--optimizer muon --muon-num-ns-steps 7", "job.muon.steps") == "7");
  CHECK(with("--optimizer muon --qk-clip", "job.optimizer") == "muon-clip");
  CHECK(with("--swiglu", "model.ffn") == "2688");  // two thirds of 4096, in a multiple of 64
  CHECK(with("--tensor-model-parallel-size 8", "model.vocab") == "1024");
  CHECK(with("--tensor-model-parallel-size 16", "model.vocab") == "2048");
  CHECK(with("--make-vocab-size-divisible-by 8", "model.vocab") == "1000");
  CHECK(with("--tokenizer-type NullTokenizer --make-vocab-size-divisible-by 1", "model.vocab") == "1001");
  CHECK(with("--num-experts 8", "model.experts.top_k") == "2");
  CHECK(with("--num-experts 8", "software.experts.dispatch") == "all-gather");
  CHECK(with("--num-experts 8 --tensor-model-parallel-size 2", "parallelism.etp") == "parallelism.tp");
  CHECK(with("--multi-latent-attention", "model.latent.rank") == "32");
  Import none("--num-layers 4 --hidden-size 64 --num-attention-heads 4 --seq-length 8 --micro-batch-size 1", "");
  CHECK(none.at("job.global_batch") == "parallelism.microbatch * parallelism.dp");
  CHECK(none.at("model.vocab") == "FILL_IN");
  CHECK(none.at("cluster.use") == "FILL_IN");
  CHECK(!none.result.complete);
}

TEST_CASE("flags that mean something together are read together") {
  struct Row {
    const char *flags, *path, *value;
  };
  const Row rows[] = {
      {"--group-query-attention --num-query-groups 4", "model.kv_heads", "4"},
      {"--group-query-attention", "model.kv_heads", "1"},
      {"--num-query-groups 4", "model.kv_heads", "none"},
      {"--use-rotary-position-embeddings", "model.rotary", "true"},
      {"--position-embedding-type rope", "model.positions", "none"},
      {"--squared-relu", "model.activation", "squared-relu"},
      {"--quick-geglu", "model.gated_mlp", "true"},
      {"--disable-bias-linear --add-qkv-bias", "model.qkv_bias", "true"},
      {"--add-qkv-bias", "model.qkv_bias", "true"},
      {"--softmax-type learnable", "model.sinks", "true"},
      {"--activation-func-clamp-value 7.0", "model.clamp", "7.0"},
      {"--window-size 128,0", "model.window.size", "128"},
      {"--window-size '(128,0)' --window-attn-skip-freq 2", "model.window.global_every", "2"},
      {"--window-size 128,0 --window-attn-skip-freq [1,1,1,0]", "model.window.global_every", "4"},
      {"--num-experts 8 --moe-layer-freq 2", "model.experts.every", "2"},
      {"--num-experts 8 --moe-layer-freq [0]+[1]*3", "model.experts.first_dense", "1"},
      {"--num-experts 8 --moe-shared-expert-intermediate-size 512", "model.experts.shared", "1"},
      {"--bf16 --fp8-format hybrid", "job.precision", "fp8"},
      {"--bf16 --fp8-format hybrid --fp8-recipe tensorwise", "software.scaling", "current"},
      {"--train-samples 1000", "job.tokens", "1000 * job.sequence"},
      {"--sequence-parallel", "parallelism.sequence_parallel", "none"},
      {"--sequence-parallel --tensor-model-parallel-size 2", "parallelism.sequence_parallel", "true"},
      {"--pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 1", "parallelism.interleave", "2"},
      {"--pipeline-model-parallel-size 2 --num-virtual-stages-per-pipeline-rank 2", "parallelism.interleave", "2"},
      {"--nnodes 3 --pipeline-model-parallel-size 3 --account-for-embedding-in-pipeline-split "
       "--account-for-loss-in-pipeline-split",
       "parallelism.stages", "[1, 2, 1]"},
      {"--use-distributed-optimizer", "parallelism.zero", "1"},
      {"--use-distributed-optimizer --num-distributed-optimizer-instances 2", "parallelism.zero_group", "dp * cp / 2"},
      {"--use-torch-fsdp2", "parallelism.zero", "3"},
      {"--use-torch-fsdp2", "software.overlap.gradients", "none"},
      {"--use-torch-fsdp2 --torch-fsdp2-no-reshard-after-forward", "parallelism.zero", "2"},
      {"--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads", "parallelism.zero", "2"},
      {"--recompute-activations", "parallelism.recompute", "selective"},
      {"--recompute-granularity selective --recompute-modules core_attn moe_act", "software.selective",
       "[core-attention, expert-activation]"},
      {"--recompute-granularity selective --recompute-modules layernorm mla_up_proj mlp moe shared_experts",
       "software.selective", "[norm, latent-up, mlp, experts, shared-experts]"},
      {"--recompute-granularity selective --recompute-modules layernorm", "software.selective", "norm"},
      {"--fine-grained-activation-offloading --offload-modules core_attn attn_proj", "parallelism.offload.modules",
       "[core-attention, attention-output]"},
      {"--fine-grained-activation-offloading --offload-modules expert_fc1", "parallelism.offload.activations", "1"},
      {"--fine-grained-activation-offloading --offload-modules moe_act --activation-offload-fraction 0.8",
       "parallelism.offload.activations", "0.8"},
      {"--offload-modules moe_act", "parallelism.offload.modules", "none"},
      {"--recompute-granularity full --recompute-method uniform --recompute-num-layers 2",
       "parallelism.recompute_every", "2"},
      {"--recompute-granularity full --recompute-method block --recompute-num-layers 2", "parallelism.recompute_layers",
       "min(model.layers, 2 * pp * interleave)"},
      {"--optimizer-cpu-offload --optimizer-offload-fraction 0.5", "parallelism.offload.optimizer", "0.5"},
      {"--cpu-offload", "parallelism.offload.optimizer", "1"},
      {"--cpu-offloading-num-layers 2", "parallelism.offload.activations", "min(1, 2 * pp / model.layers)"},
      {"--attention-backend flash", "software.attention", "flash2"},
      {"--transformer-impl local", "software.attention", "unfused"},
      {"--transformer-impl local --use-flash-attn", "software.attention", "flash2"},
      {"--cp-comm-type a2a", "software.context", "all-to-all"},
      {"--nnodes 4 --context-parallel-size 8 --cp-comm-type a2a+p2p --hierarchical-context-parallel-sizes 4 2",
       "software.context", "all-to-all-ring"},
      {"--nnodes 4 --context-parallel-size 8 --cp-comm-type a2a+p2p --hierarchical-context-parallel-sizes 4 2",
       "parallelism.cp_inner", "4"},
      {"--grad-reduce-in-bf16", "software.reduce_bytes", "2"},
      {"--ddp-bucket-size 40000000", "software.bucket_bytes", "160000000 B"},
      {"--no-gradient-accumulation-fusion", "software.fusion.gradient", "false"},
      {"--hidden-dropout=0.05", "model.dropout", "0.05"},
      {"--hidden-size 2048", "model.hidden", "2048"},  // given twice: the last
  };
  for (const Row& row : rows) {
    Import import(kTiny + std::string(row.flags));
    CHECK_MESSAGE(import.at(row.path) == row.value, std::string(row.flags), ": ", import.at(row.path));
    CHECK_MESSAGE(!import.diagnostics.has_errors(), std::string(row.flags), ": ", import.told());
    import.loaded();  // is a scenario, whatever the flag
  }
}

TEST_CASE("nothing is lost without a word") {
  CHECK(told("--rampup-batch-size 16 16 1000").find("--rampup-batch-size has no counterpart") != std::string::npos);
  CHECK(told("--num-query-groups 4").find("without --group-query-attention") != std::string::npos);
  CHECK(told("--attention-dropout 0.1 --hidden-dropout 0").find("of the attention alone") != std::string::npos);
  CHECK(told("--recompute-activations --recompute-modules mhc").find("'mhc' is left out") != std::string::npos);
  CHECK(told("--optimizer lion").find("'lion' is planned as adam") != std::string::npos);
  CHECK(told("--q-lora-rank 512").find("--multi-latent-attention") != std::string::npos);
  CHECK(told("--position-embedding-type relative").find("'relative' is left out") != std::string::npos);
  CHECK(Import("pretrain_bert.py " + std::string(kTiny)).told().find("read as pretrain_gpt.py") != std::string::npos);
  for (const char* other : {"pretrain_t5.py", "pretrain_ict.py", "pretrain_vision_dino.py"})
    CHECK(Import(other + (" " + std::string(kTiny))).told() ==
          "error: '" + std::string(other) + "' trains another model than GPT, which is not planned\n");
  Import unknown(kTiny + std::string("--num-layer 3"));
  REQUIRE(unknown.diagnostics.list.size() == 1);
  CHECK(unknown.diagnostics.list[0].message == "unknown flag '--num-layer'");
  CHECK(unknown.diagnostics.list[0].hint == "did you mean '--num-layers'?");
  std::string flags = kTiny;
  for (int i = 0; i < 100; ++i)
    flags += "--num-layer" + std::string(1, static_cast<char>('a' + i % 26)) + std::to_string(i) + " 3 ";
  Import many(flags);
  REQUIRE(many.diagnostics.list.size() == 100);
  CHECK(many.diagnostics.list.back().hint.empty());
}

TEST_CASE("values that cannot be read are errors at their places") {
  Import import(kTiny + std::string("\\\n --tensor-model-parallel-size \\\n  two"));
  REQUIRE(import.diagnostics.list.size() == 1);
  CHECK(import.told() == "error: expected a number, 0 or more, for --tensor-model-parallel-size, got 'two'\n");
  CHECK(told("--tensor-model-parallel-size $TP").find("'$TP', which the text does not set") != std::string::npos);
  CHECK(told("--tensor-model-parallel-size -1").find("got '-1'") != std::string::npos);
  CHECK(told("--tensor-model-parallel-size 0x10").find("got '0x10'") != std::string::npos);
  CHECK(told("--train-iters many").find("for --train-iters, got 'many'") != std::string::npos);
  CHECK(told("--window-size all").find("expected two whole numbers") != std::string::npos);
  CHECK(told("--save \x01").find("control") != std::string::npos);
  CHECK(told("--mtp-num-layers").find("--mtp-num-layers has no value") != std::string::npos);
  CHECK(told("--num-query-groups 1.5 --group-query-attention").find("expected a whole number") != std::string::npos);
  CHECK(told("--recompute-granularity half").find("expected full or selective") != std::string::npos);
  CHECK(told("--pipeline-model-parallel-size 3 --num-layers-per-virtual-pipeline-stage 1")
            .find("4 layers are not a multiple of pp 3 x 1") != std::string::npos);
  CHECK(Import("").told() == "error: no flags of Megatron-LM here\n");
  CHECK(Import("ls -l 'x").told() == "error: the quote is never closed\n");
  CHECK(Import("--num-layers 4").told().find("missing flag --hidden-size") != std::string::npos);
}

TEST_CASE("graphs, narrow types and what fp16 reduces") {
  constexpr struct {
    const char *flags, *field, *value;
  } kCases[] = {
      {"--cuda-graph-impl local --cuda-graph-scope full_iteration", "software.graphs", "step"},
      {"--cuda-graph-impl full_iteration", "software.graphs", "step"},
      {"--cuda-graph-impl transformer_engine --cuda-graph-scope attn moe_router", "software.graphs", "static-parts"},
      {"--enable-cuda-graph", "software.graphs", "static-parts"},
      {"--cuda-graph-impl none", "software.graphs", "none"},
      {"--bf16 --fp4-format e2m1", "job.precision", "nvfp4"},
      {"--bf16 --fp8-format e4m3 --fp8-recipe mxfp8", "job.precision", "mxfp8"},
      {"--bf16 --fp8-format hybrid --fp8-recipe blockwise", "software.scaling", "block"},
      {"--fp16", "software.reduce_bytes", "2"},
      {"--fp16 --accumulate-allreduce-grads-in-fp32", "software.reduce_bytes", "4"},
      {"--bf16", "software.reduce_bytes", "none"}};
  for (const auto& c : kCases) {
    CAPTURE(std::string(c.flags));
    const Import import(
        "--num-layers 2 --hidden-size 64 --num-attention-heads 4 --seq-length 128 --micro-batch-size 1 --vocab-size "
        "100 " +
        std::string(c.flags));
    CHECK(import.at(c.field) == c.value);
    CHECK(import.told() == "");
  }
}

TEST_CASE("a row of a fork is not that of its base") {
  using namespace planner::megatron;
  const ProgramFlags &fork = megatron_deepspeed(), &base = megatron_lm();
  const auto differs = [&](const char* name) {
    CHECK_MESSAGE(fork.role_of(name) != base.role_of(name), std::string(name));
  };
  for (const auto& rows : {fork.rules, fork.on_rules, fork.idle})
    for (const char* name : rows) differs(name);
  for (const RefusedFlag& row : fork.refused) differs(row.name);
  for (const LostFlag& row : fork.lost) differs(row.name);
}

TEST_CASE("every flag stands in one table alone") {
  std::set<std::string> names;
  auto add = [&](const char* name) { CHECK_MESSAGE(names.insert(name).second, std::string(name)); };
  const std::vector<std::string> all = planner::megatron::megatron_lm().names();
  for (const std::string& name : all) add(name.c_str());
  CHECK(names.size() > 900);
}

TEST_CASE("every flag that is a field names a field") {
  using namespace planner::megatron;
  for (const ProgramFlags* table : {&megatron_lm(), &megatron_deepspeed()})
    for (const auto& row : table->fields) {
      const dsl::Schema& schema = planner::scenario_schema();
      const bool known =
          std::any_of(schema.begin(), schema.end(), [&](const dsl::Field& f) { return f.path == row.field; });
      CHECK_MESSAGE(known, std::string(row.name));
    }
}

TEST_CASE("GPUs that cannot hold a replica are left open: the script does not say how many nodes there are") {
  const std::string flags =
      "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 "
      "--seq-length 4096 --global-batch-size 512 --tensor-model-parallel-size 8 --pipeline-model-parallel-size 4";
  const Import open(flags);
  CHECK(open.at("cluster.gpus") == "FILL_IN");
  CHECK(!open.result.complete);
  std::string with_nodes = flags;
  with_nodes.insert(with_nodes.find("pretrain"), "--nnodes 4 ");
  CHECK(Import(with_nodes).at("cluster.gpus") == "4 * 8");
}

TEST_CASE("a launch line that leaves its arguments to a YAML is told what reads both") {
  const Import line("torchrun --nproc-per-node 8 pretrain_gpt.py --yaml-cfg gpt.yaml");
  CHECK(line.told() == "error: the run is configured by --yaml-cfg 'gpt.yaml'\n");
  CHECK(line.diagnostics.list.front().hint == "`trainplan import megatron FILE.yaml SCRIPT` reads both");
}
