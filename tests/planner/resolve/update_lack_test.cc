// Impossible updates, reported at their place with a fix.
#include <doctest/doctest.h>

#include <string>

#include "planner/resolve/read.h"

namespace {

/// "LINE: MESSAGE -> HINT" of each mistake.
std::string mistakes(const std::string& job, const std::string& layout = "") {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  const dsl::Source& source = sources.emplace_back(dsl::Source{
      "a.yaml",
      "model: {use: gpt2}\njob: {sequence: 1024, global_batch: 8, " + job +
          "}\ncluster: {use: dgx-h100, gpus: 8}\nsoftware: {use: megatron-core}\nparallelism: {tp: 1" + layout + "}\n",
      ""});
  const dsl::Catalog catalog{planner::builtin_catalog(), {}};
  planner::read_scenario(source, {}, catalog, sources, diagnostics);
  std::string out;
  for (const dsl::Diagnostic& d : diagnostics.list)
    out += std::to_string(d.span.line) + ": " + d.message + " -> " + d.hint + "\n";
  return out;
}

}  // namespace

TEST_CASE("what cannot be updated") {
  struct Row {
    const char *job, *layout, *said;
  };
  for (const Row& row : {
           Row{"task: qlora", "", ""},
           Row{"task: lora, lora: {base: int8}", "", ""},
           Row{"optimizer: muon, muon: {mode: distributed}", "", ""},
           Row{"optimizer: muon-clip, muon: {steps: 3}", "", ""},
           Row{"optimizer: paged-adam-8bit", ", offload: {optimizer: 1}", ""},
           Row{"task: qlora, lora: {rank: 0}", "",
               "2: adam would train the base, which is frozen in nf4: without adapters (rank 0) nothing is left -> "
               "job.lora.rank: 16, or job.task: sft with job.lora.base: none\n"},
           Row{"task: qlora, lora: {base: none}", "",
               "2: task qlora holds the base weights in fewer bits, and job.lora.base is none -> "
               "job.lora.base: nf4, or job.task: lora\n"},
           Row{"lora: {base: fp8}", "",
               "2: base weights in fp8 are those of LoRA, and job.lora.rank is 0: all weights are trained -> "
               "job.task: qlora, or job.lora.base: none\n"},
           Row{"muon: {mode: layer-sharded}", "",
               "2: job.muon.mode is of Muon, and job.optimizer is adam -> job.optimizer: muon, or leave job.muon "
               "out\n"},
           Row{"optimizer: shampoo, muon: {steps: 3}", "",
               "2: job.muon.steps is of Muon, and job.optimizer is shampoo -> job.optimizer: muon, or leave job.muon "
               "out\n"},
           Row{"optimizer: soap", ", offload: {optimizer: 0.5}",
               "5: the host updates offloaded states, and multiplies no matrices for soap -> "
               "parallelism.offload.optimizer: 0, or job.optimizer: adam\n"},
           Row{"optimizer: muon", ", servers: 2",
               "5: parameter servers update what they hold, and multiply no matrices for muon -> "
               "parallelism.servers: 0, or job.optimizer: adam\n"},
       }) {
    INFO(row.job, row.layout);
    CHECK(mistakes(row.job, row.layout) == row.said);
  }
}
