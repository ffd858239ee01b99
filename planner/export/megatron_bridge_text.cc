// The script of Megatron-Bridge around the settings of a plan (megatron/bridge/training/pretrain.py, gpt_step.py).
#include <algorithm>

#include "planner/export/table.h"

namespace planner::exporting {
namespace {

constexpr const char* kHead = R"(import os

import torch
from megatron.bridge import AutoBridge
from megatron.bridge.training.config import (
    CheckpointConfig, ConfigContainer, DistributedDataParallelConfig, GPTDatasetConfig, LoggerConfig, OptimizerConfig,
    SchedulerConfig, TokenizerConfig, TrainingConfig)
from megatron.bridge.training.gpt_step import forward_step
from megatron.bridge.training.mixed_precision import MixedPrecisionConfig
from megatron.bridge.training.pretrain import pretrain
from megatron.core.transformer.enums import AttnBackend

hf_model = )";
constexpr const char* kContainer = R"(
# Yours to change: data (here made up), learning rate, checkpoints, logs.
cfg = ConfigContainer(
    model=AutoBridge.from_hf_pretrained(hf_model).to_megatron_provider(load_weights=False),
    train=TrainingConfig(train_iters=int(os.environ.get("TRAIN_ITERS", 100))),
    optimizer=OptimizerConfig(lr=1e-4, min_lr=1e-5),
    scheduler=SchedulerConfig(),
    ddp=DistributedDataParallelConfig(),
    dataset=GPTDatasetConfig(
        sequence_length=1, blend=None, split="9999,8,2", random_seed=1234, dataloader_type="single",
        reset_position_ids=False, reset_attention_mask=False, eod_mask_loss=False),
    logger=LoggerConfig(log_interval=1),
    tokenizer=TokenizerConfig(tokenizer_type="HuggingFaceTokenizer", tokenizer_model=hf_model),
    checkpoint=CheckpointConfig(),
    mixed_precision=MixedPrecisionConfig(),
)

# The plan.
)";

}  // namespace

std::string megatron_bridge_text(const std::vector<Setting>& settings) {
  const auto model = std::ranges::find(settings, "hf_model", &Setting::name);
  return "# torchrun --nproc-per-node " + value_of(settings, "--nproc-per-node") + " --nnodes " +
         value_of(settings, "--nnodes") + " FILE\n" + kHead + python_value(*model) + "\n" + kContainer +
         render_python("cfg.", settings) + "\nif __name__ == \"__main__\":\n    pretrain(cfg, forward_step)\n";
}

}  // namespace planner::exporting
