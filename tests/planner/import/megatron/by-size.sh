#!/bin/bash
# The size is an argument: without it nobody knows which model this is.
GPUS=8
case $1 in
  1B) SIZE=(--num-layers 16 --hidden-size 2048 --num-attention-heads 32) ;;
  8B) SIZE=(--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --group-query-attention --num-query-groups 8) ;;
esac
torchrun --nproc_per_node $GPUS pretrain_gpt.py "${SIZE[@]}" --seq-length 4096 --micro-batch-size 1 \
  --global-batch-size 64 --vocab-size 128256 --swiglu --bf16 --use-distributed-optimizer --tensor-model-parallel-size 2
