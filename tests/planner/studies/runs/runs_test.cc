// From the columns of a measured run to a scenario and a prediction.
#include <doctest/doctest.h>

#include <algorithm>

#include "planner/studies/runs/predict.h"
#include "planner/studies/runs/run.h"

namespace {

using planner::RunConfig;

const dsl::Catalog& catalog() {
  static const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  return catalog;
}

/// Megatron 22B as Korthikanti et al. 2022 ran it.
RunConfig gpt() {
  RunConfig c;
  c.task = "pretrain", c.family = "dense", c.model_name = "megatron-22B";
  c.layers = 48, c.hidden = 6144, c.ffn_hidden = 24576, c.heads = 64, c.vocab = 51200, c.seq_len = 2048;
  c.gated_mlp = 0, c.tied_embeddings = 1;
  c.gpu = "A100-SXM-80GB", c.gpus_per_node = 8, c.n_gpus = 8, c.inter_node_link = "IB HDR 8x200Gb/s per node (Selene)";
  c.precision = "fp16", c.optimizer = "adam", c.software = "megatron-2021";
  c.attention_kernel = "unfused", c.flash_attention = 0, c.grad_bytes = 2, c.global_batch = 4;
  c.tp = 8, c.pp = 1, c.dp = 1, c.cp = 1, c.vpp = 1, c.sequence_parallel = 1, c.microbatch = 4;
  c.zero_stage = "0", c.recompute = "selective";
  return c;
}

using Change = void (*)(RunConfig&);

planner::RowScenario scenario(Change change) {
  RunConfig c = gpt();
  change(c);
  return planner::row_scenario(c, catalog());
}

bool has_line(const std::string& yaml, const std::string& line) {
  return ("\n" + yaml).find("\n" + line + "\n") != std::string::npos;
}

/// The assumptions for a row, including its profile's recipes and the defaults.
std::vector<planner::Assumption> assumptions(const RunConfig& c) {
  const planner::RunScenario run = planner::run_scenario(c, catalog());
  CHECK(run.skipped == "");
  return run.assumptions;
}

std::string assumed(const std::vector<planner::Assumption>& assumptions, const std::string& field) {
  for (const planner::Assumption& a : assumptions)
    if (a.field == field) return a.value;
  return "";
}

}  // namespace

TEST_CASE("a column becomes a field") {
  struct Case {
    Change change;
    const char* line;
  };
  const std::vector<Case> cases{
      {[](RunConfig&) {}, "  layers: 48"},
      {[](RunConfig&) {}, "  ffn: 24576"},
      {[](RunConfig&) {}, "  global_batch: 4"},
      {[](RunConfig&) {}, "  sequence_parallel: true"},
      {[](RunConfig&) {}, "  recompute: \"selective\""},
      {[](RunConfig&) {}, "  attention: \"unfused\""},
      {[](RunConfig&) {}, "  zero: 0"},
      {[](RunConfig& c) { c.kv_heads = 8; }, "  kv_heads: 8"},
      {[](RunConfig& c) { c.head_dim = 96; }, "  head_dim: 96"},
      {[](RunConfig& c) { c.zero_stage = "3"; }, "  zero: 3"},
      {[](RunConfig& c) { c.zero_group = 8; }, "  zero_group: 8"},
      {[](RunConfig& c) { c.vpp = 4; }, "  interleave: 4"},
      {[](RunConfig& c) { c.sequence_parallel = 0; }, "  sequence_parallel: false"},
      {[](RunConfig& c) { c.tp = 1; }, "  sequence_parallel: false"},
      {[](RunConfig& c) { c.optimizer = "LAMB"; }, "  optimizer: \"lamb\""},
      {[](RunConfig& c) { c.optimizer = "decoupled_adamw (yaml default)"; }, "  optimizer: adam"},
      {[](RunConfig& c) { c.family = "bert", c.software = "ddp-apex", c.seq_len = 512; }, "  sequence: 288"},
      {[](RunConfig& c) { c.family = "bert", c.software = "ddp-apex", c.seq_len = 128; }, "  sequence: 128"},
      {[](RunConfig& c) { c.optimizer = "lamb(see notes)"; }, "  optimizer: \"lamb\""},
      {[](RunConfig& c) { c.overlap_flags = "tp; parallel transformer block"; }, "  parallel_block: true"},
      {[](RunConfig& c) { c.optimizer = ""; }, "  optimizer: adam"},
      {[](RunConfig& c) { c.attention_kernel = "te"; }, "  attention: \"te\""},
      {[](RunConfig& c) { c.grad_bytes = 2; }, "    gradient: 2"},
      {[](RunConfig& c) { c.grad_bytes = 4; }, "  reduce_bytes: 4"},
      {[](RunConfig& c) { c.software = "megatron-core", c.overlap_flags = "--overlap-grad-reduce --tp-comm-overlap"; },
       "    tensor: true"},
      {[](RunConfig& c) { c.software = "torchtitan-compile", c.overlap_flags = "torch.compile, float8 all-gather"; },
       "  gather_bytes: 1"},
      {[](RunConfig& c) { c.model_name = "a \"b\"\n\\c"; }, "  name: \"a \\\"b\\\"\\n\\\\c\""},
  };
  for (const Case& c : cases) {
    planner::RowScenario row = scenario(c.change);
    INFO(std::string(c.line), " in\n", row.yaml);
    CHECK(row.skipped == "");
    CHECK(has_line(row.yaml, c.line));
  }
}

TEST_CASE("gradients of an accumulator beside a 16-bit copy travel as the profile says") {
  CHECK_FALSE(scenario([](RunConfig& c) { c.grad_bytes = 6; }).yaml.find("reduce_bytes") != std::string::npos);
  CHECK_FALSE(scenario([](RunConfig& c) {
                c.software = "composer-fsdp-pure", c.grad_bytes = 4;
              }).yaml.find("reduce_bytes") != std::string::npos);
}

TEST_CASE("an empty cell is an assumption that is told") {
  struct Case {
    Change change;
    const char *field, *value;
  };
  const std::vector<Case> cases{
      {[](RunConfig& c) { c.recompute = ""; }, "parallelism.recompute", "full"},
      {[](RunConfig& c) { c.recompute = "", c.attention_kernel = "te", c.flash_attention = 1; },
       "parallelism.recompute", "none"},
      {[](RunConfig& c) { c.recompute = "", c.software = "maxtext", c.attention_kernel = "te", c.flash_attention = 1; },
       "parallelism.recompute", "selective"},
      {[](RunConfig& c) { c.microbatch = {}; }, "parallelism.microbatch", "1"},
      {[](RunConfig& c) { c.vpp = {}; }, "parallelism.interleave", "1"},
      {[](RunConfig& c) { c.sequence_parallel = {}; }, "parallelism.sequence_parallel", "false"},
      {[](RunConfig& c) { c.sequence_parallel = {}, c.software = "nemo"; }, "parallelism.sequence_parallel", "true"},
      {[](RunConfig& c) { c.zero_stage = ""; }, "parallelism.zero", "0"},
      {[](RunConfig& c) { c.zero_stage = "", c.software = "megatron-core"; }, "parallelism.zero", "1"},
      {[](RunConfig& c) { c.zero_stage = "", c.software = "torchtitan"; }, "parallelism.zero", "3"},
      {[](RunConfig& c) { c.tied_embeddings = {}; }, "model.tied_embeddings", "true"},
      {[](RunConfig& c) { c.tied_embeddings = {}, c.gated_mlp = 1; }, "model.tied_embeddings", "false"},
      {[](RunConfig& c) { c.vocab = 50257; }, "model.vocab", "51200"},
      {[](RunConfig& c) { c.vocab = 50257, c.tp = 1; }, "model.vocab", "50304"},
      {[](RunConfig& c) { c.n_gpus = 16, c.inter_node_link = ""; }, "cluster.use", "dgx-a100-80gb"},
      {[](RunConfig&) {}, "model.dropout", "0.1"},
      // and no assumption where a cell says it, or nothing depends on it
      {[](RunConfig& c) { c.inter_node_link = ""; }, "cluster.use", ""},
      {[](RunConfig& c) { c.sequence_parallel = {}, c.tp = 1; }, "parallelism.sequence_parallel", ""},
      {[](RunConfig& c) { c.vocab = 50257, c.software = "composer-fsdp"; }, "model.vocab", ""},
      {[](RunConfig& c) { c.gated_mlp = 1; }, "model.dropout", ""},
  };
  for (const Case& c : cases) {
    RunConfig config = gpt();
    c.change(config);
    INFO(std::string(c.field), " in\n", planner::row_scenario(config, catalog()).yaml);
    CHECK(assumed(assumptions(config), c.field) == c.value);
  }
}

TEST_CASE("a model's name and kind say what no column does") {
  struct Case {
    Change change;
    std::vector<const char*> lines;
  };
  const std::vector<Case> cases{
      {[](RunConfig&) {},
       {"  positions: 2048", "  norm: layernorm", "  activation: gelu", "  bias: true", "  dropout: 0.1"}},
      {[](RunConfig& c) { c.model_name = "LLAMA3-8B", c.gated_mlp = 1; },
       {"  gated_mlp: true", "  rotary: true", "  norm: rmsnorm", "  activation: silu", "  bias: false",
        "  dropout: 0"}},
      {[](RunConfig& c) { c.model_name = "InternLM-7B", c.gated_mlp = 1; },
       {"  qkv_bias: true", "  bias: false", "  rotary: true"}},
      {[](RunConfig& c) { c.model_name = "mpt-7b"; }, {"  positions: 2048", "  bias: true", "  dropout: 0"}},
      {[](RunConfig& c) { c.model_name = "bloom-like-176B"; },
       {"  embedding_norm: true", "  dropout: 0.1", "  bias: true"}},
      {[](RunConfig& c) { c.model_name = "Nemotron4-15B"; },
       {"  activation: squared-relu", "  rotary: true", "  bias: false", "  norm: layernorm"}},
      {[](RunConfig& c) { c.family = "bert", c.seq_len = 512; },
       {"  head: mlm", "  causal: false", "  predicted: 0.15625", "  token_types: 2", "  positions: 512"}},
  };
  for (const Case& c : cases) {
    planner::RowScenario row = scenario(c.change);
    for (const char* line : c.lines) {
      INFO(std::string(line), " in\n", row.yaml);
      CHECK(has_line(row.yaml, line));
    }
  }
  CHECK(scenario([](RunConfig& c) { c.model_name = "bloom-like-176B"; }).yaml.find("positions") == std::string::npos);
}

TEST_CASE("a row's framework says the profile and the release") {
  struct Case {
    const char *software, *framework, *model, *use, *release;
    planner::Count year = {};
  };
  for (const Case& c : {Case{"megatron-bridge", "Megatron-Bridge 26.02.01", "LLAMA3-8B", "megatron-bridge", "26.02.01"},
                        {"nemo", "NeMo (25.01 container)", "LLAMA3-8B", "nemo", "25.01"},
                        {"nemo", "NeMo 24.x", "LLAMA2-7B", "nemo", "24.x"},
                        {"nemo", "NeMo Framework Launcher (24.03-24.05) / Megatron-Core", "GPT3-175B", "nemo", "24.03"},
                        {"nemo", "NeMo/Megatron-Core", "GPT3-175B (MLPerf)", "nemo-mlperf", "any"},
                        {"megatron-core", "Megatron-Core r0.8.0", "gpt-7.1B", "megatron-core", "any"},
                        {"simumax-megatron", "Megatron-LM (TE 2.11)", "LLAMA3-70B", "simumax-megatron", "any"},
                        {"megatron-2021", "Megatron-LM", "gpt2-8B", "megatron-2020", "any"},
                        {"megatron-2021", "Megatron-LM", "megatron-22B", "megatron-2021", "any"},
                        {"other", "DeepSpeed ZeRO-3", "gpt-174.6B", "deepspeed", "any"},
                        {"other", "DeepSpeed ZeRO-3", "gpt-174.6B", "deepspeed-2021", "any", 2021},
                        {"other", "DeepSpeed ZeRO-3", "gpt-174.6B", "deepspeed", "any", 2022},
                        {"other", "metaseq", "opt-175b", "other", "any"},
                        {"torchtitan", "", "LLAMA3-8B", "torchtitan", "any"}}) {
    RunConfig config = gpt();
    config.software = c.software, config.framework = c.framework, config.model_name = c.model, config.year = c.year;
    CAPTURE(std::string(c.framework));
    CHECK(planner::profile_of(config).use == c.use);
    CHECK(planner::profile_of(config).release == c.release);
  }
}

TEST_CASE("a row's recipes are those of its release and task") {
  auto tuned = [](const char* release, const char* task, const std::string& field) {
    RunConfig c = gpt();
    c.gpu = "H100-SXM-80GB", c.software = "nemo", c.framework = release, c.model_name = "LLAMA2-70B", c.task = task;
    c.layers = 80, c.hidden = 8192, c.heads = 64, c.attention_kernel = "te", c.flash_attention = 1, c.recompute = "";
    c.precision = "fp8", c.tp = 2, c.pp = 4, c.dp = 1, c.vpp = {}, c.sequence_parallel = {}, c.zero_stage = "";
    return assumed(assumptions(c), field);
  };
  CHECK(tuned("NeMo 24.07", "pretrain", "software.memory.logits") == "6");
  CHECK(tuned("NeMo 25.02", "pretrain", "software.memory.logits") == "");
  CHECK(tuned("NeMo 24.07", "lora", "job.lora.targets") == "qkv");
  CHECK(tuned("NeMo 24.07", "lora", "job.lora.rank") == "32");
  CHECK(tuned("NeMo 25.02", "lora", "job.lora.rank") == "16");
  CHECK(tuned("NeMo 24.07", "lora", "job.document") == "205");
  CHECK(tuned("NeMo 24.07", "lora", "parallelism.sequence_parallel") == "false");
  CHECK(tuned("NeMo 24.07", "lora", "parallelism.interleave") == "1");
  CHECK(tuned("NeMo 24.07", "sft", "parallelism.interleave") == "20");
  CHECK(tuned("NeMo 24.07", "sft", "parallelism.sequence_parallel") == "true");
  CHECK(tuned("NeMo 24.07", "pretrain", "parallelism.interleave") == "1");
  CHECK(tuned("NeMo Framework Launcher (24.03)", "pretrain", "parallelism.interleave") == "20");
}

TEST_CASE("the links say which cluster it is") {
  struct Case {
    const char* gpu;
    int64_t per_node;
    const char *link, *cluster;
  };
  const std::vector<Case> cases{
      {"V100-SXM2-32GB", 8, "", "dgx-1"},
      {"V100-SXM3-32GB", 16, "", "dgx-2"},
      {"A100-SXM-40GB", 8, "RoCE 1600Gb/s per node", "roce-a100-40gb"},
      {"A100-SXM-40GB", 8, "IB HDR 4x200Gb/s per node", "ib-a100-40gb-800g"},
      {"A100-SXM-40GB", 8, "", "dgx-a100-40gb"},
      {"A100-SXM-80GB", 8, "IB HDR 8x200Gb/s per node (DGX A100)", "dgx-a100-80gb"},
      {"A100-SXM-80GB", 8, "RoCE 1600Gb/s per node", "roce-a100-80gb"},
      {"A100-SXM-80GB", 8, "4x100Gb/s RoCE per node", "roce-a100-4x100"},
      {"A100-SXM-80GB", 8, "IB HDR 800Gb/s per node (vTrain config)", "ib-a100-800g"},
      {"A100-SXM-80GB", 8, "Omni-Path 4x100Gb/s per node (Jean Zay)", "opa-a100"},
      {"A800-80GB", 8, "4x100Gb/s RoCE per node", "roce-a800-4x100"},
      {"H100-SXM-80GB", 8, "IB NDR 400Gb/s per GPU (DGX H100 spec)", "dgx-h100"},
      {"H100-SXM-96GB", 8, "RDMA 400Gb/s per GPU (Grand Teton)", "hgx-h100-96gb"},
      {"H200-SXM-141GB", 8, "RDMA 400Gb/s per GPU (CX-7)", "dgx-h200"},
      {"B200-180GB", 8, "", "dgx-b200"},
      {"B300-288GB", 8, "", "dgx-b300"},
      {"GB200-186GB", 4, "", "gb200-nvl72"},
      {"GB300-288GB", 4, "", "gb300-nvl72"},
      {"MI300X-192GB", 8, "", "mi300x-oam"},
      {"Gaudi2-96GB", 8, "", "gaudi2-hls"},
      {"Gaudi3-128GB", 8, "", "gaudi3-hls"},
      {"H100-PCIe-80GB", 8, "", "h100-pcie-8x"},
      {"H20-96GB", 8, "", "hgx-h20"},
      {"GH200-96GB", 4, "", "alps"},
      {"GH200-96GB", 1, "", "gh200-1x"},
      {"MI325X", 8, "", "mi325x-oam"},
      {"Trainium2", 16, "", "trn2"},
      {"TPU-v6e", 8, "", "tpu-v6e-pod"},
      {"A100-SXM-80GB", 4, "", ""},
      {"GB200-186GB", 8, "", ""},
      {"Unheard-Of-1GB", 8, "", ""},
  };
  const std::vector<std::string> known = dsl::catalog_names(catalog(), "cluster");
  for (const Case& c : cases) {
    INFO(std::string(c.gpu), " ", std::string(c.link));
    RunConfig config = gpt();
    config.gpu = c.gpu, config.gpus_per_node = c.per_node, config.inter_node_link = c.link;
    CHECK(planner::choose_cluster(config).cluster == c.cluster);
    CHECK((!*c.cluster || std::find(known.begin(), known.end(), c.cluster) != known.end()));
  }
}

TEST_CASE("a pod of TPUs needs no count of chips in a host") {
  for (const auto& [gpu, cluster] : {std::pair{"TPUv4", "tpu-v4-pod"}, {"TPU-v7-Ironwood", "tpu-v7-pod"}}) {
    RunConfig config = gpt();
    config.gpu = gpu, config.gpus_per_node = {}, config.n_gpus = 256, config.inter_node_link = "";
    CHECK(planner::choose_cluster(config).cluster == cluster);
    CHECK_FALSE(planner::choose_cluster(config).assumed);
  }
}

TEST_CASE("the network between domains is assumed only where a run leaves its domain") {
  struct Case {
    const char* gpu;
    int64_t per_node, gpus;
    bool assumed;
  };
  for (const Case& c : {Case{"GB200-186GB", 4, 72, false},
                        {"GB200-186GB", 4, 144, true},
                        {"MI300X-192GB", 8, 8, false},
                        {"MI300X-192GB", 8, 16, true},
                        {"TPUv4", 4, 4096, false},
                        {"TPUv4", 4, 6144, true}}) {
    RunConfig config = gpt();
    config.gpu = c.gpu, config.gpus_per_node = c.per_node, config.n_gpus = c.gpus, config.inter_node_link = "";
    INFO(std::string(c.gpu), " ", c.gpus);
    CHECK(planner::choose_cluster(config).assumed == c.assumed);
  }
}

TEST_CASE("a row that cannot be predicted says why") {
  struct Case {
    Change change;
    const char* reason;
  };
  const std::vector<Case> cases{
      {[](RunConfig& c) { c.task = "rlhf"; }, "unknown task 'rlhf'"},
      {[](RunConfig& c) { c.family = "cnn"; }, "family 'cnn' is no Transformer"},
      {[](RunConfig& c) { c.gpu = "TPU-v1"; }, "accelerator 'tpu-v1' is not in the catalogue"},
      {[](RunConfig& c) { c.software = "unheard-of"; }, "software 'unheard-of' is not in the catalogue"},
      {[](RunConfig& c) { c.gpus_per_node = 4; }, "no cluster in the catalogue has 'a100-sxm-80gb' with 4 in a node"},
      {[](RunConfig& c) { c.tp = {}; }, "no layout: n_gpus, tp or pp is empty"},
      {[](RunConfig& c) { c.global_batch = {}; }, "no batch: global_batch is empty"},
      {[](RunConfig& c) { c.zero_stage = "FSDP (2D)"; }, "zero_stage 'FSDP (2D)' is no stage"},
      {[](RunConfig& c) { c.vocab = {}; }, "no model: vocab is empty"},
      {[](RunConfig& c) { c.precision = "fp8"; }, "precision: a100-sxm-80gb has no fp8 peak"},
      {[](RunConfig& c) { c.precision = "int4"; }, "invalid scenario: "},
      {[](RunConfig& c) { c.attention_kernel = "magic"; }, "invalid scenario: "},
      {[](RunConfig& c) { c.optimizer = "rmsprop"; }, "invalid scenario: "},
      {[](RunConfig& c) { c.layers = 0; }, "invalid scenario: "},
      {[](RunConfig& c) { c.dp = 3; }, "infeasible layout: "},
      {[](RunConfig& c) { c.global_batch = 5; }, "infeasible layout: "},
  };
  for (const Case& c : cases) {
    RunConfig config = gpt();
    c.change(config);
    planner::Prediction p = planner::predict(config, catalog());
    INFO(std::string(c.reason), " | ", p.skipped);
    CHECK(p.skipped.find(c.reason) == 0);
  }
}

TEST_CASE("a run is predicted with its interval and memory") {
  planner::Prediction p = planner::predict(gpt(), catalog());
  REQUIRE(p.skipped == "");
  CHECK(p.step.low_seconds < p.step.seconds);
  CHECK(p.step.seconds < p.step.high_seconds);
  CHECK(p.allocated_bytes > 0);
  CHECK(p.allocated_bytes <= p.reserved_bytes);
  CHECK(p.reserved_bytes <= p.device_bytes);
  CHECK(p.violations.empty());
}

TEST_CASE("what does not fit keeps its figures and is flagged") {
  RunConfig config = gpt();
  config.microbatch = 64, config.global_batch = 64, config.recompute = "none";
  planner::Prediction p = planner::predict(config, catalog());
  REQUIRE(p.skipped == "");
  CHECK(p.step.seconds > 0);
  REQUIRE(p.violations.size() == 1);
  CHECK(p.violations[0].rule == "memory");
}

TEST_CASE("a row of a vendor's table names model, machine and release, and says a rate") {
  const std::string header =
      "model,system,gpus,precision,global_batch,microbatch,sequence,tp,pp,cp,vp,ep,"
      "tokens_per_s_per_gpu,release\n";
  dsl::Diagnostics diagnostics;
  const dsl::Source source{"vendor.csv", header + "Nemotron_3_Nano,DGX-GB300,8,mxfp8,512,4,8192,1,1,1,,8,39936,26.08\n",
                           ""};
  const std::vector<planner::Run> runs = planner::read_runs(dsl::read_csv(source, diagnostics), diagnostics);
  REQUIRE(!diagnostics.has_errors());
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].measured.rate.has_value());
  const std::string& text = runs[0].config.scenario;
  for (const char* part : {"\"nemotron-3-nano\"", "\"dgx-gb300\", gpus: \"8\"", "ep: \"8\"", "release: \"26.08\""})
    CHECK_MESSAGE(text.find(part) != std::string::npos, text);
  CHECK(text.find("interleave") == std::string::npos);  // an empty cell says nothing
  CHECK(planner::predict(runs[0].config, catalog()).skipped == "");
}
