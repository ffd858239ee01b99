#!/usr/bin/env bash
# As torchtitan's run_train.sh does: overrides go behind the file.
set -ex
NGPU=${NGPU:-"8"}
CONFIG_FILE=${CONFIG_FILE:-"llama3-405b.toml"}
PYTORCH_CUDA_ALLOC_CONF="expandable_segments:True" \
torchrun --nproc_per_node=${NGPU} --nnodes 16 --rdzv_backend c10d -m torchtitan.train \
  --job.config_file ${CONFIG_FILE} --training.seq_len 4096 --checkpoint.enable_checkpoint
