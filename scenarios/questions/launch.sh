#!/bin/bash
# Llama 3.1 70B on 32 nodes of eight H100.
torchrun --nnodes 32 --nproc_per_node 8 pretrain_gpt.py \
  --num-layers 80 --hidden-size 8192 --ffn-hidden-size 28672 --num-attention-heads 64 \
  --group-query-attention --num-query-groups 8 --seq-length 8192 --max-position-embeddings 8192 \
  --swiglu --normalization RMSNorm --disable-bias-linear --position-embedding-type rope \
  --untie-embeddings-and-output-weights --attention-dropout 0 --hidden-dropout 0 --vocab-size 128256 \
  --micro-batch-size 1 --global-batch-size 1024 --train-samples 122070313 --bf16 \
  --tensor-model-parallel-size 8 --pipeline-model-parallel-size 4 --sequence-parallel \
  --use-distributed-optimizer --recompute-granularity full --recompute-method uniform --recompute-num-layers 1 \
  --data-path $DATA --tokenizer-type HuggingFaceTokenizer
