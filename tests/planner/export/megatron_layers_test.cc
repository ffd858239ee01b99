// Layers of unlike kinds as flags of Megatron-LM, and back by `import megatron`; what it has no layer for.
#include "planner/import/megatron.h"
#include "planner/plan/plan.h"
#include "planner/workload/partition.h"
#include "tests/planner/export/export_sample.h"
#include "tests/planner/import/import_sample.h"

namespace {

struct Imported : ImportSample {
  explicit Imported(const std::string& text) {
    result = planner::import_megatron(files("run.sh", text, "", ""), sources, diagnostics);
    if (!diagnostics.has_errors()) scenario = loaded();
  }
  std::optional<planner::LoadedScenario> scenario;
};

/// Rows of the layers in order, as texts without name and letter.
std::vector<std::string> layers(const planner::LoadedScenario& loaded) {
  const planner::Model& m = loaded.scenario.model;
  std::vector<std::string> rows(m.kinds.size()), out;
  for (const auto& [path, slot] : loaded.record.slots) {
    if (!path.starts_with("model.kinds[") || path.ends_with("].name") || path.ends_with("].letter")) continue;
    const size_t end = path.find(']');
    rows[std::stoul(path.substr(12, end - 12))] += path.substr(end + 1) + "=" + dsl::to_text(slot.value) + "\n";
  }
  for (const planner::LayerKind& kind : planner::layers_of(m))
    out.push_back(kind.row < 0 ? "" : rows[static_cast<size_t>(kind.row)]);
  if (m.mtp > 0)
    for (const planner::LayerKind& kind : planner::prediction_kinds(m))
      out.push_back(kind.row < 0 ? "predicted" : rows[static_cast<size_t>(kind.row)]);
  return out;
}

std::string flags_of(const planner::LoadedScenario& loaded) {
  dsl::Diagnostics diagnostics;
  const auto exported = planner::export_plan(loaded, "megatron", diagnostics);
  for (const dsl::Diagnostic& d : diagnostics.list) MESSAGE(dsl::render(d));
  REQUIRE(exported.has_value());
  return exported->text;
}

void check_again(const planner::LoadedScenario& first) {
  const std::string text = flags_of(first);
  CAPTURE(text);
  const Imported again(text);
  REQUIRE_MESSAGE(again.scenario.has_value(), again.told());
  const planner::Scenario &a = first.scenario, &b = again.scenario->scenario;
  CHECK_MESSAGE(again.told() == "", again.told());
  const std::vector<std::string> there = layers(*again.scenario), here = layers(first);
  REQUIRE(there.size() == here.size());
  for (size_t i = 0; i < here.size(); ++i) CHECK(there[i] == here[i]);
  CHECK(planner::parameters(b.model) == planner::parameters(a.model));
  CHECK(planner::active_parameters(b.model) == planner::active_parameters(a.model));
  CHECK(planner::layers_per_part(b) == planner::layers_per_part(a));
  CHECK(b.parallelism.interleave == a.parallelism.interleave);
  CHECK(flags_of(*again.scenario) == text);
}

/// A small hybrid: the pattern, its kinds and more of the model.
std::string hybrid(const std::string& pattern, const std::string& kinds, const std::string& more = "",
                   const std::string& layout = "") {
  const std::string heads = more.find("latent") == std::string::npos ? "kv_heads: 8, " : "";  // latents have no groups
  return "model: {hidden: 1024, ffn: 4096, heads: 16, " + heads +
         "vocab: 32000, bias: false, norm: rmsnorm, "
         "gated_mlp: true, activation: silu,\n  experts: {count: 8, top_k: 2, ffn: 512}, pattern: \"" +
         pattern + "\", kinds: [" + kinds + "]" + (more.empty() ? "" : ", " + more) +
         "}\njob: {sequence: 2048, global_batch: 64}\ncluster: {use: dgx-h100, gpus: 16}\n"
         "software: {use: megatron-core}\nparallelism: {zero: 1" +
         (layout.empty() ? "" : ", " + layout) + "}\n";
}

constexpr const char* kKinds = "{use: mamba2}, {use: attention}, {use: mlp}, {use: experts}, {use: gated-delta}";
const std::string kLatent = "latent: {rank: 512, query_rank: 384, rotary_dim: 64, value_dim: 64}";

}  // namespace

TEST_CASE("scripts of published models come back from their export") {
  for (const char* script : {"nemotron-3-nano-30b-a3b", "nemotron-h-56b", "nemotron-3-super-120b-a12b",
                             "qwen3-next-80b-a3b", "deepseek-v3.2"}) {
    CAPTURE(std::string(script));
    Imported import(import_text("megatron/" + std::string(script) + ".sh"));
    REQUIRE_MESSAGE(import.scenario.has_value(), import.told());
    check_again(*import.scenario);
  }
}

TEST_CASE("Nemotron-H of the hub and of the catalogue come back from their export") {
  const char* const run =
      "}\njob: {sequence: 4096, global_batch: 256}\ncluster: {use: dgx-h100, gpus: 64}\n"
      "software: {use: megatron-core}\nparallelism: {auto: false, tp: 8, dp: 8, zero: 1}\n";
  for (const char* model : {"use: hf:nemotron-h-56b", "use: nemotron-3-nano-30b-a3b, kinds: {attention: {}}"}) {
    CAPTURE(std::string(model));
    const std::string text = "model: {" + std::string(model) + run;
    check_again(sample::load(text,
                             std::string(model).find("nano") != std::string::npos
                                 ? sample::Sets{"parallelism.tp=2", "parallelism.dp=32"}
                                 : sample::Sets{},
                             TRAINPLAN_SOURCE_DIR "/tests/planner/import/hf"));
  }
}

TEST_CASE("layers become flags, and these the same layers") {
  struct Case {
    std::string pattern, kinds, more, layout, flags;  // `flags`: that the export has
    int layers;
  };
  const std::string indexer = "indexer: {heads: 4, head_dim: 32, top_k: 128}";
  const Case cases[] = {
      {"(ME*-)x2", kKinds, "", "", "--hybrid-layer-pattern 'ME*-ME*-'", 8},
      {"(ME*-)x2", kKinds, "", "pp: 2", "--hybrid-layer-pattern 'ME*-ME*-'", 8},
      {"(ME*-)x2", kKinds, "", "pp: 2, stages: [3, 5]", "--hybrid-layer-pattern 'ME*|-ME*-'", 8},
      {"(ME*-)x2", kKinds, "", "pp: 2, interleave: 2", "--hybrid-layer-pattern 'ME|*-|ME|*-'", 8},
      {"M*", kKinds, "mtp: 2, mtp_pattern: \"*E\"", "", "--hybrid-layer-pattern 'M*/*E/*E'", 2},
      {"M*", kKinds, "mtp: 1", "", "--hybrid-layer-pattern 'M*/*'", 2},
      {"M*", "{use: mamba2, heads: 24, value_dim: 32, key_heads: 4, key_dim: 16}, {use: attention}", "", "",
       "--mamba-num-heads 24", 2},
      {"G-", kKinds, "", "", "--linear-num-value-heads 32", 2},
      {"g-", "{use: gated-delta-2}, {use: mlp}", "", "", "--experimental-attention-variant gdn2", 2},
      {"*-", "{use: attention, gated: true}, {use: mlp}", "", "", "--attention-output-gate", 2},
      {"*E", "{use: attention}, {use: experts, expert_width: 256}", "", "", "--moe-latent-size 256", 2},
      {"*W-", "{use: attention}, {use: attention, letter: W, window: 64}, {use: mlp}", "", "",
       "--window-attn-skip-freq '([0]*1+[1]*1+[0]*1)'", 3},
      {"*-", "{use: attention, streams: 2}, {use: mlp, streams: 2}", "", "", "--mhc-num-residual-streams 2", 2},
      {"S*-", "{use: sparse-attention, feed_forward: none, " + indexer + "}, {use: attention}, {use: mlp}", kLatent, "",
       "--hybrid-layer-pattern D+-", 3},
      {"(DDDB)x2", "{use: gated-delta, letter: D, feed_forward: experts}, {use: experts-block, letter: B, gated: true}",
       "", "", "--linear-attention-freq '([1]*3+[0]*1+[1]*3+[0]*1)'", 8},
      {"AXXA", "{use: block}, {use: experts-block}", "", "", "--moe-layer-freq '([0]*1+[1]*2+[0]*1)'", 4},
      {"AWW", "{use: block}, {use: block, letter: W, window: 64}", "", "", "--window-size '(64,0)'", 3},
      {"STT",
       "{use: sparse-attention, " + indexer + "}, {use: sparse-attention, letter: T, feed_forward: experts, " +
           indexer + "}",
       kLatent + ", mtp: 1", "", "--experimental-attention-variant dsa", 3},
      {"STTSTT",
       "{use: sparse-attention, " + indexer +
           "}, {use: sparse-attention, letter: T, indexer: {heads: 4, head_dim: 32, "
           "top_k: 128, shared: true}}",
       kLatent, "", "--dsa-indexer-topk-freq 3", 6},
  };
  for (const Case& c : cases) {
    CAPTURE(c.pattern);
    CAPTURE(c.kinds);
    const planner::LoadedScenario loaded = sample::load(hybrid(
        c.pattern, c.kinds, "layers: " + std::to_string(c.layers) + (c.more.empty() ? "" : ", " + c.more), c.layout));
    CHECK_MESSAGE(flags_of(loaded).find(c.flags) != std::string::npos, flags_of(loaded));
    check_again(loaded);
  }
}

TEST_CASE("what Megatron-LM has no layer for is refused at its field") {
  struct Case {
    std::string pattern, kinds, more, told;
    int layers;
  };
  const std::string cannot = "Megatron-LM cannot express 'model.kinds";
  const Case cases[] = {
      {"K-", "{use: kda}, {use: mlp}", "", cannot + "[0].mixer: steps': it has no recurrence of these steps\n", 2},
      {"m-", "{use: mamba1}, {use: mlp}", "", cannot + "[0].mixer: steps': it has no recurrence of these steps\n", 2},
      {"M*", "{use: mamba2, kernel: 3}, {use: attention}", "", cannot + "[0].kernel: 3': Mamba convolves 4 tokens\n",
       2},
      {"M*", "{use: mamba2}, {use: attention, kv_heads: 4}", "",
       cannot + "[1].kv_heads: 4': attention has the model's heads in all layers\n", 2},
      {"A-", "{use: block}, {use: mlp}", "",
       cannot + "[1].feed_forward: mlp': a layer with one part is written as a letter, so every layer must have one "
                "part; make two kinds "
                "of one with a mixer and a feed-forward part\n",
       2},
      {"MN*", "{use: mamba2}, {use: mamba2, letter: N, key_dim: 64}, {use: attention}", "",
       cannot + "[1].key_dim: 64': all layers of this kind must have the same value\n", 3},
      {"*W", "{use: attention, window: 32}, {use: attention, letter: W, window: 64}", "",
       cannot + "[1].window: 64': all windows must have the same width\n", 2},
      {"*-", "{use: attention, gated: true}, {use: mlp}", kLatent,
       cannot + "[0].gated: true': latent attention has no gate\n", 2},
      {"*B", "{use: attention}, {use: attention, letter: B, gated: true}", "",
       cannot + "[1].gated: true': all attention layers must have the same value\n", 2},
      {"*-", "{use: attention, overlap: 1}, {use: mlp}", "",
       cannot + "[0].overlap: 1': each token has keys of its own\n", 2},
      {"*-", "{use: attention}, {use: mlp, residual_block: 4}", "",
       cannot + "[1].residual_block: 4': there is one sum of earlier layers\n", 2},
      {"-L", "{use: mlp}, {use: mlp, letter: L, ffn: 512}", "",
       cannot + "[1].ffn: 512': all MLPs must have the same width\n", 2},
      {"BB", "{use: block-sparse-attention}", "",
       cannot + "[0].indexer.heads: 4': sparse attention has latents\n" + cannot +
           "[0].indexer.block: 128': its indexer chooses keys, not blocks of them\n",
       2},
      {"AA", "{use: block}, {use: experts-block}", "mtp: 1, mtp_pattern: X",
       "Megatron-LM cannot express 'model.mtp_pattern: X': a prediction layer is one like the last of the model\n", 2},
      {"Gg", "{use: gated-delta}, {use: gated-delta-2}", "",
       "Megatron-LM cannot express 'model.pattern: Gg': it allows one kind of linear attention\n", 2},
  };
  for (const Case& c : cases) {
    CAPTURE(c.kinds);
    const Exported exported(
        "megatron",
        hybrid(c.pattern, c.kinds, "layers: " + std::to_string(c.layers) + (c.more.empty() ? "" : ", " + c.more)), {});
    CHECK(exported.told() == c.told);
    CHECK(!exported.result.has_value());
    for (const dsl::Diagnostic& d : exported.diagnostics.list) CHECK(d.span.line > 0);
  }
}
