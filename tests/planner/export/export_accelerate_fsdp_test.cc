// FSDP under accelerate: what becomes of fields, and the same plan read back.
#include "dsl/write.h"
#include "planner/import/trainer.h"
#include "tests/planner/export/export_sample.h"

namespace {

constexpr const char* kScenario =
    "model: {use: llama3-8b}\njob: {sequence: 2048, global_batch: 64}\ncluster: {use: dgx-h100, gpus: 16}\n"
    "software: {use: transformers}\nparallelism: {zero: 3}\n";

/// A field that is set, and what its export has, or its refusal.
constexpr ExportCase kCases[] = {
    {"software.gather_bytes=1", "cannot express 'software.gather_bytes: 1'"},
    {"", "fsdp_config.fsdp_version=2"},
    {"", "fsdp_config.fsdp_reshard_after_forward=true"},
    {"", "mixed_precision=bf16"},
    {"", "num_machines=2"},
    {"parallelism.zero=2", "fsdp_config.fsdp_reshard_after_forward=false"},
    {"parallelism.zero_group=8", "parallelism_config.parallelism_config_dp_replicate_size=2"},
    {"parallelism.offload.optimizer=1; parallelism.offload.weights=1", "fsdp_config.fsdp_offload_params=true"},
    {"parallelism.recompute=full", "fsdp_config.fsdp_activation_checkpointing=true"},
    {"parallelism.microbatch=2", "--gradient_accumulation_steps=2"},
    {"job.precision=fp16", "mixed_precision=fp16"},
    {"job.optimizer=adafactor", "--optim=adafactor"},
    {"job.tokens=1e9", "--max_steps=7630"},
    {"parallelism.zero=1", "FSDP under accelerate cannot express 'parallelism.zero: 1'"},
    {"parallelism.tp=2", "FSDP under accelerate cannot express 'parallelism.tp: 2'"},
    {"parallelism.offload.optimizer=1", "FSDP moves weights and states together"},
    {"parallelism.recompute=selective", "its checkpointing covers whole layers"},
    {"job.precision=fp8", "it has fp32, fp16 and bf16"},
    {"job.optimizer=lamb", "FSDP under accelerate cannot express 'job.optimizer: lamb'"},
    {"software.reduce_each_microbatch=true", "software: {use: transformers}"},
    {"software.use=pytorch-fsdp", "`--set software.use=transformers`"},
};

}  // namespace

TEST_CASE("a run of FSDP is exported as accelerate's own file") {
  for (const ExportCase& c : kCases) {
    CAPTURE(std::string(c.set) + " | " + c.outcome);
    const Exported out("accelerate", kScenario, parts_of(c.set, "; "));
    const std::string all = out.settings() + out.told();
    CHECK_MESSAGE(all.find(c.outcome) != std::string::npos, all);
  }
}

TEST_CASE("FSDP that accelerate is given is read back as the same layout") {
  const char* const kSets[] = {
      "",
      "parallelism.zero=2; parallelism.microbatch=4",
      "parallelism.zero_group=8; job.tokens=1e9",
      "parallelism.offload.optimizer=1; parallelism.offload.weights=1; parallelism.recompute=full",
      "job.precision=fp16; job.optimizer=sgd; job.sequence=1024",
      "job.precision=fp32; parallelism.microbatch=2",
      "job.optimizer=paged-adam-8bit; cluster.gpus=8; model.use=qwen3-8b"};
  for (const char* set : kSets) {
    CAPTURE(std::string(set));
    const Exported there("accelerate", kScenario, parts_of(set, "; "));
    REQUIRE_MESSAGE(there.result, there.told());
    dsl::Sources sources;
    dsl::Diagnostics diagnostics;
    planner::RunFiles files{.model = "", .cluster = "dgx-h100"};
    files.config = &sources.emplace_back(dsl::Source{"run.sh", there.result->text, "."});
    const planner::ImportedRun back = planner::import_trainer(files, sources, diagnostics);
    std::string told;
    for (const dsl::Diagnostic& d : diagnostics.list) told += d.message + "\n";
    CHECK(told == "");
    CHECK(back.complete);
    const dsl::Source& yaml = sources.emplace_back(dsl::Source{"a.yaml", dsl::write_yaml(back.scenario), "/nowhere"});
    const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
    const auto loaded = planner::read_scenario(yaml, {}, catalog, sources, diagnostics);
    for (const dsl::Diagnostic& d : diagnostics.list) told += d.message + "\n";
    REQUIRE_MESSAGE(loaded, told);
    CHECK(accelerate_differences(there.loaded->record, loaded->record) == "");
  }
}
