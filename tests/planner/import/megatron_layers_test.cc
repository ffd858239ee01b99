// Megatron-LM's runs of hybrid, linear and sparse attention: layers of unlike kinds.
#include "planner/import/megatron_layers.h"

#include "planner/import/megatron.h"
#include "planner/plan/plan.h"
#include "tests/planner/import/import_sample.h"

namespace {

struct Line : ImportSample {
  explicit Line(const std::string& text, const char* name = "run.sh") {
    result = planner::import_megatron(files(name, text, "", ""), sources, diagnostics);
  }
  /// Fields of the kinds, "mamba2: heads=32 ...; attention: ...".
  std::string kinds() const {
    const dsl::Node* list = dsl::node_at(result.scenario, "model.kinds");
    std::string out;
    for (size_t i = 0; list && i < list->items.size(); ++i) {
      out += (out.empty() ? "" : "; ") + list->items[i].find("use")->text + ":";
      for (const dsl::Entry& e : list->items[i].entries)
        if (e.key != "use" && e.key != "name" && e.key != "letter") out += " " + text_of(e);
    }
    return out;
  }
  static std::string text_of(const dsl::Entry& e) {
    std::string inside;
    for (const dsl::Entry& below : e.value.entries) inside += (inside.empty() ? "" : ",") + text_of(below);
    return e.key + "=" + (e.value.entries.empty() ? e.value.text : "{" + inside + "}");
  }
};

/// A second line of its own, so that places are easy to read.
const std::string kSmall =
    "torchrun --nproc-per-node 8 pretrain_gpt.py --hidden-size 1024 --num-attention-heads 16 --seq-length 512 "
    "--max-position-embeddings 1024 --micro-batch-size 2 --global-batch-size 32 --vocab-size 1000 "
    "--disable-bias-linear \\\n";
const std::string kLatent = "--multi-latent-attention --q-lora-rank 64 ";
const std::string kIndexer = "--dsa-indexer-n-heads 4 --dsa-indexer-head-dim 32 --dsa-indexer-topk 128 ";

double parameters_of(const std::string& model_line) {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  const dsl::Source source{
      "a.yaml",
      "model: {use: " + model_line + "}\njob: {sequence: 4096, global_batch: 8}\ncluster: {use: dgx-h100, gpus: 8}\n",
      TRAINPLAN_SOURCE_DIR "/tests/planner/import/hf"};
  const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  const auto loaded = planner::read_scenario(source, {}, catalog, sources, diagnostics);
  REQUIRE(loaded);
  return planner::parameters(loaded->scenario.model);
}

}  // namespace

TEST_CASE("scripts of published models have their parameters, and those of their Hugging Face configurations") {
  // Published totals: names and model cards of the models; none of them counts prediction layers.
  constexpr struct {
    const char* script;
    double published;
    const char* same;  // a model of the same weights; "": none here
  } kCases[] = {{"nemotron-3-nano-30b-a3b", 31.6e9, "hf:nemotron-3-nano-30b-a3b"},
                {"nemotron-h-56b", 56e9, "hf:nemotron-h-56b"},
                {"nemotron-3-super-120b-a12b", 120e9, ""},
                {"qwen3-next-80b-a3b", 80e9, ""},
                {"deepseek-v3.2", 671e9, "hf:deepseek-v3.2"}};
  for (const auto& [script, published, same] : kCases) {
    const auto& said = script;
    CAPTURE(std::string(said));
    Line import(import_text("megatron/" + std::string(script) + ".sh"));
    const auto loaded = import.loaded();
    REQUIRE_MESSAGE(loaded, import.told());
    const double parameters = planner::parameters(loaded->scenario.model);
    CHECK(parameters / published == doctest::Approx(1).epsilon(0.02));
    if (*same) CHECK(parameters == parameters_of(same));
    CHECK(planner::make_plan(loaded->scenario).step.has_value());
  }
}

TEST_CASE("flags become kinds of layers and their pattern") {
  struct Case {
    std::string flags;
    const char *pattern, *kinds;
  };
  const std::string mamba = "--hybrid-layer-pattern M* ";
  const Case cases[] = {
      {mamba, "M*", "mamba2: heads=32 value_dim=64 key_heads=8 key_dim=128; attention:"},
      {mamba + "--mamba-num-heads 24 --mamba-head-dim 32 --mamba-num-groups 4 --mamba-state-dim 16", "M*",
       "mamba2: heads=24 value_dim=32 key_heads=4 key_dim=16; attention:"},
      {mamba + "--mamba-head-dim 128", "M*", "mamba2: heads=16 value_dim=128 key_heads=8 key_dim=128; attention:"},
      {"--is-hybrid-model --num-layers 3", "MMM", "mamba2: heads=32 value_dim=64 key_heads=8 key_dim=128"},
      {"--num-layers 4 --spec megatron.core.models.mamba.mamba_layer_specs mamba_stack_spec "
       "--hybrid-attention-ratio 0.25",
       "MM*M", "mamba2: heads=32 value_dim=64 key_heads=8 key_dim=128; attention:"},
      {"--hybrid-layer-pattern '*-G-' --attention-output-gate", "*-G-",
       "attention: gated=true; mlp:; gated-delta: heads=32 value_dim=128 key_heads=16 key_dim=128 kernel=4"},
      {"--hybrid-layer-pattern '*E' --num-experts 4 --moe-latent-size 256", "*E",
       "attention:; experts: expert_width=256"},
      {"--hybrid-layer-pattern 'D+-' " + kIndexer, "S*-",
       "sparse-attention: indexer={heads=4,head_dim=32,top_k=128} feed_forward=none; attention:; mlp:"},
      {"--hybrid-layer-pattern '**-' --window-size 64,0 --window-attn-skip-freq 2", "*D-",
       "attention: window=64; attention:; mlp:"},
      {"--num-layers 4 --experimental-attention-variant gdn --linear-attention-freq 2", "GAGA",
       "gated-delta: heads=32 value_dim=128 key_heads=16 key_dim=128 kernel=4 feed_forward=mlp; block:"},
      {"--num-layers 3 --experimental-attention-variant gdn2 --linear-attention-freq [0]+[1]*2 "
       "--linear-num-value-heads 8 --linear-num-key-heads 4 --linear-key-head-dim 32 --linear-value-head-dim 64 "
       "--linear-conv-kernel-dim 3",
       "Agg", "block:; gated-delta-2: heads=8 value_dim=64 key_heads=4 key_dim=32 kernel=3 feed_forward=mlp"},
      {"--num-layers 4 --experimental-attention-variant dsa --dsa-indexer-topk-freq 2 " + kLatent + kIndexer, "SDSD",
       "sparse-attention: indexer={heads=4,head_dim=32,top_k=128} feed_forward=mlp; "
       "sparse-attention: indexer={heads=4,head_dim=32,top_k=128,shared=true} feed_forward=mlp"},
      {"--num-layers 4 --experimental-attention-variant dsa --dsa-indexer-topk-freq 2 --dsa-indexer-skip-topk-offset "
       "3 " +
           kLatent + kIndexer,
       "SSSD",
       "sparse-attention: indexer={heads=4,head_dim=32,top_k=128} feed_forward=mlp; "
       "sparse-attention: indexer={heads=4,head_dim=32,top_k=128,shared=true} feed_forward=mlp"},
      {"--num-layers 2 --attention-output-gate", "AA", "block: gated=true"},
      {"--num-layers 2 --enable-mhc-connections", "AA", "block: streams=4"},
      {"--num-layers 2 --enable-mhc-connections --mhc-num-residual-streams 2", "AA", "block: streams=2"},
      {"--num-layers 4 --num-experts 4 --moe-layer-freq [1,0,0,1]", "XAAX", "experts-block:; block:"},
      {"--num-layers 5 --num-experts 4 --moe-layer-freq 2", "XAXAX", "experts-block:; block:"},
      {"--num-layers 2 --num-experts 4 --moe-latent-size 64", "XX", "experts-block: expert_width=64"},
      {"--num-layers 4 --window-size 64,0 --window-attn-skip-freq [1,0,0,1]", "ADDA", "block: window=64; block:"},
      {"--num-layers 4 --num-experts 4 --moe-layer-freq 2", "none", ""},
      {"--num-layers 4 --window-size 64,0 --window-attn-skip-freq 2", "none", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.flags);
    Line import(kSmall + c.flags);
    CHECK_MESSAGE(import.told() == "", import.told());
    CHECK(import.at("model.pattern") == c.pattern);
    CHECK(import.kinds() == c.kinds);
    CHECK_MESSAGE(import.loaded(), import.told());
  }
}

TEST_CASE("scripts of hybrid models are known by their names") {
  for (const char* name : {"pretrain_mamba.py", "a/b/pretrain_hybrid.py"}) {
    std::string call = kSmall + "--num-layers 2";
    call.replace(call.find("pretrain_gpt.py"), 15, name);
    Line import(call);
    CHECK(import.told() == "");
    CHECK(import.at("model.pattern") == "MM");
  }
}

TEST_CASE("'|' parts the pipeline, '/' lists prediction layers") {
  const char* const two = " --nnodes 2 --pipeline-model-parallel-size 2 ";
  struct Case {
    std::string flags, fields;
  };
  const Case cases[] = {
      {std::string("--hybrid-layer-pattern 'M-M|*-'") + two, "stages=[3, 2]; interleave=none; mtp=none"},
      {std::string("--hybrid-layer-pattern 'M-M|*-|M|-'") + two, "stages=[3, 2, 1, 1]; interleave=2; mtp=none"},
      {std::string("--hybrid-layer-pattern 'M-*-'") + two, "stages=none; interleave=none; mtp=none"},
      {std::string("--hybrid-layer-pattern 'M-*--' --decoder-first-pipeline-num-layers 2") + two,
       "stages=[2, 3]; interleave=none; mtp=none"},
      {"--hybrid-layer-pattern 'M*-/-/-'", "stages=none; interleave=none; mtp=2"},
      {"--hybrid-layer-pattern 'M*-/-/-' --mtp-num-layers 2", "stages=none; interleave=none; mtp=2"},
      {"--hybrid-override-pattern 'M*-' --num-layers 3 --mtp-num-layers 1 --mtp-hybrid-override-pattern=-",
       "stages=none; interleave=none; mtp=1"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.flags);
    Line import(kSmall + c.flags);
    CHECK_MESSAGE(import.told() == "", import.told());
    CHECK("stages=" + import.at("parallelism.stages") + "; interleave=" + import.at("parallelism.interleave") +
              "; mtp=" + import.at("model.mtp") ==
          c.fields);
    CHECK_MESSAGE(import.loaded(), import.told());
  }
}

TEST_CASE("the letters behind '/' are the kinds of a prediction layer") {
  struct Case {
    std::string flags;
    const char *pattern, *predicted, *kinds;
  };
  const std::string mtp = "--mtp-num-layers 1 --mtp-hybrid-override-pattern ";
  const Case cases[] = {
      {"--hybrid-layer-pattern '**-/-'", "**-", "none", "attention:; mlp:"},  // the last layer of the model
      {"--hybrid-layer-pattern '**-/*-'", "**-", "*-", "attention:; mlp:"},
      {"--hybrid-layer-pattern '**-/**/**'", "**-", "**", "attention:; mlp:"},
      {"--hybrid-layer-pattern '**/-'", "**", "-", "attention:; mlp:"},  // a kind that the model itself has not
      {"--hybrid-override-pattern '*-' --num-layers 2 " + mtp + "'**'", "*-", "**", "attention:; mlp:"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.flags);
    Line import(kSmall + c.flags);
    CHECK(import.told() == "");
    CHECK(import.at("model.pattern") == c.pattern);
    CHECK(import.at("model.mtp_pattern") == c.predicted);
    CHECK(import.kinds() == c.kinds);
    CHECK_MESSAGE(import.loaded(), import.told());
  }
}

TEST_CASE("what is wrong with layers is told at its place, with what would do") {
  struct Case {
    std::string flags, told;
  };
  const std::string gdn = "--num-layers 4 --experimental-attention-variant gdn ";
  const Case cases[] = {
      {"--hybrid-layer-pattern 'M*x-'",
       "2:27 error: unknown kind of layer 'x'; known: M (Mamba-2), G (gated delta net), * (attention), D (sparse "
       "attention), + (latent attention), - (MLP), E (experts)"},
      {"--hybrid-layer-pattern=M*m-", "2:26 error: unknown kind of layer 'm'; did you mean 'M'?"},
      {"--hybrid-layer-pattern ''", "2:1 error: no layers"},
      {"--hybrid-layer-pattern 'M*-/*/-'", "2:31 error: prediction layers are alike: expected '*', got '-'; write '*'"},
      {"--hybrid-layer-pattern M*- --mtp-num-layers 1 --mtp-hybrid-override-pattern '*y'",
       "2:79 error: unknown kind of layer 'y'; known: M (Mamba-2), G (gated delta net), * (attention), D (sparse "
       "attention), + (latent attention), - (MLP), E (experts)"},
      {"--hybrid-layer-pattern 'M*E'",
       "2:27 error: a layer of experts ('E') without --num-experts; `--num-experts 8` says how many"},
      {"--hybrid-layer-pattern M- --hybrid-override-pattern M-",
       "2:53 error: --hybrid-override-pattern is what --hybrid-layer-pattern was called before; give one of them"},
      {"--num-layers 4 --hybrid-attention-ratio 0.75 --hybrid-mlp-ratio 0.5",
       "2:65 error: attention and MLPs are 1.25 of all layers: at most 1"},
      {"--hybrid-layer-pattern 'M-M*-' --pipeline-model-parallel-size 2",
       "2:63 error: 5 layers are not a multiple of --pipeline-model-parallel-size 2; `--hybrid-layer-pattern 'M-|M*-'` "
       "parts them"},
      {"--hybrid-layer-pattern 'M-|M|*-'",
       "2:25 error: the pattern has 3 parts, the pipeline 1 stage; `--pipeline-model-parallel-size 3` gives each part "
       "a stage"},
      {"--hybrid-layer-pattern 'M|-' --pipeline-model-parallel-size 2 --decoder-last-pipeline-num-layers 1",
       "2:98 error: --decoder-last-pipeline-num-layers cannot be combined with --hybrid-layer-pattern; take it out: "
       "'|' "
       "in the pattern parts the pipeline"},
      {"--hybrid-layer-pattern M- --mamba-num-groups 5",
       "2:46 error: --mamba-num-groups 5 is no divisor of --mamba-num-heads 32; `--mamba-num-groups 1` is one"},
      {"--hybrid-layer-pattern M- --mamba-head-dim 96",
       "2:44 error: --mamba-head-dim 96 is no divisor of 2048, twice --hidden-size; `--mamba-num-heads 8` says how "
       "many heads there are"},
      {"--hybrid-layer-pattern M- --mamba-state-dim x",
       "2:45 error: expected a number, 0 or more, for --mamba-state-dim, got 'x'"},
      {gdn,
       "2:49 error: linear attention without --linear-attention-freq: it says which layers have it; "
       "`--linear-attention-freq 4` leaves each fourth layer whole attention"},
      {gdn + "--linear-attention-freq 0", "2:77 error: expected 1 or more for --linear-attention-freq, got '0'"},
      {gdn + "--linear-attention-freq [1,0]",
       "2:77 error: --linear-attention-freq lists 2 layers of the model's 4; `--linear-attention-freq 4` takes any "
       "number of layers"},
      {gdn + "--linear-attention-freq [1,0",
       "2:77 error: expected a whole number or a list for "
       "--linear-attention-freq; such as '([1]*3+[0])*2'"},
      {gdn + "--linear-attention-freq 2 --linear-num-key-heads 24",
       "2:102 error: --linear-num-key-heads 24 is no divisor of --linear-num-value-heads 32; `--linear-num-key-heads "
       "8` is one"},
      {"--num-layers 4 --num-experts 2 --moe-layer-freq [1]*5",
       "2:49 error: --moe-layer-freq lists 5 layers of the model's 4; `--moe-layer-freq 4` takes any number of layers"},
      {"--num-layers 100001 --attention-output-gate", "2:14 error: more than 100,000 layers"},
      {"--num-layers 4 --experimental-attention-variant gla",
       "2:49 error: unknown variant of attention 'gla'; known: gdn, gdn2, dsa"},
      {"--num-layers 4 --experimental-attention-variant dsa " + kIndexer,
       "2:49 error: sparse attention without --multi-latent-attention; `--multi-latent-attention` gives it latents"},
      {"--num-layers 4 --experimental-attention-variant dsa --dsa-indexer-topk 9 --dsa-indexer-head-dim 8 " + kLatent,
       "1:1 error: missing flag --dsa-indexer-n-heads; `--dsa-indexer-n-heads 64`: DeepSeek-V3.2's"},
      {"--num-layers 4 --experimental-attention-variant dsa --dsa-indexer-topk-freq 0 " + kLatent + kIndexer,
       "2:77 error: expected 1 or more for --dsa-indexer-topk-freq, got '0'"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.flags);
    CHECK(Line(kSmall + c.flags).told() == "run.sh:" + c.told + "\n");
  }
}

TEST_CASE("what a hint says in backquotes works when typed behind the flags") {
  const char* const cases[] = {"--hybrid-layer-pattern 'M*E'",
                               "--hybrid-override-pattern 'M*-' --num-layers 4",
                               "--hybrid-layer-pattern 'M-M*-' --nnodes 2 --pipeline-model-parallel-size 2",
                               "--nnodes 3 --hybrid-layer-pattern 'M-|M|*-'",
                               "--hybrid-layer-pattern M- --mamba-num-groups 5",
                               "--hybrid-layer-pattern M- --mamba-head-dim 96",
                               "--num-layers 4 --experimental-attention-variant gdn",
                               "--num-layers 4 --experimental-attention-variant gdn --linear-attention-freq [1,0]",
                               "--num-layers 4 --experimental-attention-variant gdn --linear-attention-freq 2 "
                               "--linear-num-key-heads 24",
                               "--num-layers 4 --experimental-attention-variant dsa --dsa-indexer-topk 9 "
                               "--dsa-indexer-n-heads 4 --dsa-indexer-head-dim 8"};
  for (const char* flags : cases) {
    CAPTURE(std::string(flags));
    const Line wrong(kSmall + flags);
    REQUIRE(wrong.diagnostics.list.size() == 1);
    const std::string& hint = wrong.diagnostics.list[0].hint;
    const size_t from = hint.find('`') + 1;
    Line right(kSmall + flags + " " + hint.substr(from, hint.find('`', from) - from));
    CHECK_MESSAGE(right.told() == "", right.told());
    CHECK_MESSAGE(right.loaded(), right.told());
  }
}

TEST_CASE("flags that no layer reads, and what is planned otherwise, are warnings") {
  struct Case {
    std::string flags, told;
  };
  const std::string dense = "--num-layers 4 ";
  const Case cases[] = {
      {dense + "--mamba-num-heads 4",
       "2:34 warning: --mamba-num-heads: has no effect without layers of Mamba: 'M' in "
       "--hybrid-layer-pattern"},
      {dense + "--linear-key-head-dim 4",
       "2:38 warning: --linear-key-head-dim: has no effect without "
       "--experimental-attention-variant gdn, or 'G' in --hybrid-layer-pattern"},
      {dense + "--dsa-indexer-topk 4",
       "2:35 warning: --dsa-indexer-topk: has no effect without "
       "--experimental-attention-variant dsa, or 'D' in --hybrid-layer-pattern"},
      {dense + "--linear-attention-freq 4",
       "2:40 warning: --linear-attention-freq: has no effect without --experimental-attention-variant gdn in a model "
       "of pretrain_gpt.py"},
      {"--hybrid-layer-pattern M- --experimental-attention-variant gdn2",
       "2:60 warning: --experimental-attention-variant: has no effect without 'G' in --hybrid-layer-pattern"},
      {dense + "--window-attn-skip-freq 4",
       "2:40 warning: --window-attn-skip-freq: has no effect without --window-size"},
      {dense + "--moe-latent-size 4", "2:34 warning: --moe-latent-size: has no effect without --num-experts"},
      {dense + "--moe-layer-freq 2", "2:33 warning: --moe-layer-freq: has no effect without --num-experts"},
      {dense + "--attention-output-gate " + kLatent,
       "2:16 warning: --attention-output-gate: latent attention has no gate in Megatron-LM: it is left out"},
      {"--hybrid-layer-pattern '*-' --multi-latent-attention",
       "2:29 warning: --multi-latent-attention: has no effect on layers '*' of the pattern; '+' is latent attention"},
      {"--hybrid-layer-pattern M*- --num-layers 4",
       "2:41 warning: --num-layers: the pattern lists 3 layers: Megatron-LM takes these, or refuses both until 0.16; "
       "`--num-layers 3` says what the pattern does"},
      {"--hybrid-layer-pattern M- --hybrid-mlp-ratio 0.5",
       "2:46 warning: --hybrid-mlp-ratio: has no effect beside --hybrid-layer-pattern"},
      {"--hybrid-layer-pattern M-/- --mtp-num-layers 3",
       "2:46 warning: --mtp-num-layers: the pattern lists 1 prediction layers, which Megatron-LM takes"},
      {"--hybrid-layer-pattern ME --num-experts 2 --moe-layer-freq [0,1,1]",
       "2:60 warning: --moe-layer-freq: has no effect on a pattern of layers: 'E' has experts"},
      {"--hybrid-layer-pattern M- --mtp-hybrid-override-pattern=-",
       "2:27 warning: --mtp-hybrid-override-pattern: has no effect without --mtp-num-layers"},
      {dense + "--experimental-attention-variant gdn --linear-attention-freq 8",
       "2:77 warning: --linear-attention-freq: the model has 4 layers, and no 8-th one"},
      {"--hybrid-layer-pattern D- --dsa-indexer-loss-coeff 0.01 " + kIndexer,
       "2:52 warning: --dsa-indexer-loss-coeff: what the indexer's own loss costs is left out"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.flags);
    Line import(kSmall + c.flags);
    CHECK(import.told() == "run.sh:" + c.told + "\n");
    CHECK_MESSAGE(import.loaded(), import.told());
  }
}

TEST_CASE("comments of kinds name their flags, and those that are not given") {
  const Line import(kSmall + "--hybrid-layer-pattern M --mamba-head-dim 32 --use-mamba-mem-eff-path");
  const std::string yaml = dsl::write_yaml(import.result.scenario);
  CHECK(yaml.find("      value_dim: 32       # --mamba-head-dim 32\n") != std::string::npos);
  CHECK(yaml.find("      key_heads: 8        # --mamba-num-groups: default of Megatron-LM\n") != std::string::npos);
  CHECK(import.result.ignored == std::vector<std::string>{"--use-mamba-mem-eff-path"});
}

TEST_CASE("a YAML says the same layers, and its messages name its keys") {
  const std::string yaml =
      "language_model: {hidden_size: 1024, num_attention_heads: 16, hidden_dropout: 0, attention_dropout: 0}\n"
      "model_parallel: {bf16: True}\nseq_length: 512\nmicro_batch_size: 2\nvocab_size: 1000\n"
      "max_position_embeddings: 512\n";
  Line hybrid(yaml + "is_hybrid_model: true\nhybrid_layer_pattern: 'M--*/-'\nmamba_num_heads: 16\n", "gpt.yaml");
  CHECK(hybrid.told() == "");
  CHECK(hybrid.at("model.mtp_pattern") == "-");
  CHECK(hybrid.at("model.pattern") == "M--*");
  CHECK(hybrid.kinds().starts_with("mamba2: heads=16 value_dim=64"));
  Line linear(yaml +
                  "num_layers: 4\nexperimental_attention_variant: gated_delta_net\n"
                  "linear_attention_freq: [1, 1, 1, 0]\nattention_output_gate: True\n",
              "gpt.yaml");
  CHECK(linear.told() == "");
  CHECK(linear.at("model.pattern") == "GGGA");
  CHECK(linear.kinds().ends_with("block: gated=true"));
  Line wrong(yaml + "hybrid_layer_pattern: 'M--y'\n", "gpt.yaml");
  CHECK(wrong.told().starts_with("gpt.yaml:7:27 error: unknown kind of layer 'y'; known: M (Mamba-2)"));
  Line parts(yaml + "hybrid_layer_pattern: 'M--'\npipeline_model_parallel_size: 2\n", "gpt.yaml");
  CHECK(parts.told() ==
        "gpt.yaml:8:31 error: 3 layers are not a multiple of pipeline_model_parallel_size 2; "
        "`hybrid_layer_pattern: 'M|--'` parts them\n");
}
