// Runs of NeMo, NeMo 2 and Megatron-Bridge as scenarios.
//
// Names of the keys: github.com/NVIDIA/NeMo, examples/nlp/language_modeling/conf/megatron_gpt_config.yaml,
// nemo/lightning/pytorch/strategies/megatron_strategy.py, nemo/collections/llm; github.com/NVIDIA-NeMo/Megatron-Bridge,
// src/megatron/bridge/training/config.py; and Megatron-Core's TransformerConfig, OptimizerConfig and
// DistributedDataParallelConfig.
#pragma once

#include "dsl/catalog.h"
#include "planner/import/imported_run.h"

namespace planner {

/// Returns the scenario of NeMo's YAML, megatron_gpt_config.yaml or overrides of it.
ImportedRun import_nemo(const RunFiles& files, dsl::Sources& sources, dsl::Diagnostics& diagnostics);
/// Returns the scenario of a Python script of NeMo 2. `files.more`: files of its recipes; `--recipe NAME` of the launch
/// line picks a function, and words "a.b=c" behind it are settings, too. Without a launch line, "# torchrun ..." at the
/// top of the script is one.
ImportedRun import_nemo2(const RunFiles& files, dsl::Sources& sources, dsl::Diagnostics& diagnostics);
/// Likewise of Megatron-Bridge.
ImportedRun import_megatron_bridge(const RunFiles& files, dsl::Sources& sources, dsl::Diagnostics& diagnostics);

}  // namespace planner
