// Modules of a layer that exclude each other, or that the model does not have, reported at their place.
#include <doctest/doctest.h>

#include <string>

#include "planner/resolve/read.h"

namespace {

const char* const kDense = "{use: gpt2}";
const char* const kMixture = "{layers: 2, hidden: 512, heads: 8, vocab: 1024, experts: {count: 8, top_k: 2, ffn: 256}}";

/// "LINE:COLUMN: MESSAGE -> HINT" of each mistake, closed or open.
std::string mistakes(const std::string& model, const std::string& selective, const std::string& layout) {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  const dsl::Source& source = sources.emplace_back(
      dsl::Source{"a.yaml",
                  "model: " + model + "\njob: {sequence: 1024, global_batch: 8}\ncluster: {use: dgx-h100, gpus: 8}\n" +
                      "software: {use: megatron-core" + selective + "}\nparallelism: {tp: 1" + layout + "}\n",
                  ""});
  const dsl::Catalog catalog{planner::builtin_catalog(), {}};
  if (layout.find('[') != std::string::npos && layout.find("pp: [") != std::string::npos)
    planner::read_open_scenario(source, {}, catalog, sources, diagnostics);
  else planner::read_scenario(source, {}, catalog, sources, diagnostics);
  std::string out;
  for (const dsl::Diagnostic& d : diagnostics.list)
    out +=
        std::to_string(d.span.line) + ":" + std::to_string(d.span.column) + ": " + d.message + " -> " + d.hint + "\n";
  return out;
}

struct Row {
  const char *model, *selective, *layout, *said;
};

}  // namespace

TEST_CASE("lists of modules that cannot be, and modules that change nothing") {
  const std::string whole =
      "4:43: every-second-layer says what a whole layer keeps: no other word goes with it -> "
      "software.selective: every-second-layer\n";
  for (const Row& row : {
           Row{kDense, "", ", recompute: selective", ""},
           Row{kDense, ", selective: [norm, mlp]", ", recompute: selective", ""},
           Row{kDense, ", selective: every-second-layer", ", recompute: selective", ""},
           Row{kDense, ", selective: [norm, every-second-layer]", ", recompute: selective", whole.c_str()},
           Row{kDense, ", selective: [norm, every-second-layer]", ", pp: [1, 2], recompute: full", whole.c_str()},
           Row{kDense, ", selective: []", "", ""},
           Row{kDense, ", selective: []", ", recompute: selective",
               "4:43: recompute is selective, and software.selective names nothing -> "
               "parallelism.recompute: none, or software.selective: core-attention\n"},
           Row{kDense, ", selective: latent-up", ", recompute: selective",
               "4:43: latent-up repeats nothing: the model has no latents of keys and values -> leave latent-up out\n"},
           Row{kDense, ", selective: latent-up", "", ""},
           Row{kDense, ", selective: [experts, norm]", ", recompute: selective",
               "4:43: experts repeats nothing: the model has no experts -> leave experts out\n"},
           Row{kMixture, ", selective: [experts, norm]", ", recompute: selective", ""},
           Row{kMixture, ", selective: [shared-experts]", ", recompute: selective",
               "4:43: shared-experts repeats nothing: the model has no shared experts -> leave shared-experts out\n"},
           Row{kMixture, ", selective: mlp", ", recompute: selective",
               "4:43: mlp repeats nothing: the model has no MLP without experts -> leave mlp out\n"},
           Row{kDense, "", ", offload: {activations: 1, modules: [core-attention, qkv]}", ""},
           Row{kDense, "", ", offload: {modules: core-attention}",
               "5:41: modules are offloaded, and the share of their activations is 0 -> "
               "parallelism.offload.activations: 1, or leave parallelism.offload.modules out\n"},
           Row{kDense, "", ", pp: [1, 2], offload: {modules: core-attention, activations: [0, 1]}", ""},
           Row{kDense, "", ", offload: {activations: 1, modules: [expert-input]}",
               "5:57: expert-input offloads nothing: the model has no experts -> leave expert-input out\n"},
       }) {
    INFO(row.selective, row.layout);
    CHECK(mistakes(row.model, row.selective, row.layout) == row.said);
  }
}

TEST_CASE("words of a profile or a recipe that the model has no part of are no mistake of the user's") {
  CHECK(mistakes("{use: gpt2}", ", release: 26.02", ", recompute: selective") == "");
}
