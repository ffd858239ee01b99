#!/bin/bash
# Mixtral 8x7B: options in strings, run by srun.
options=" \
    --disable-bias-linear \
    --seq-length 4096 \
    --max-position-embeddings 32768 \
    --num-layers 32 \
    --hidden-size 4096 \
    --ffn-hidden-size 14336 \
    --num-attention-heads 32 \
    --init-method-std 0.01 \
    --attention-dropout 0.0 \
    --hidden-dropout 0.0 \
    --normalization RMSNorm \
    --position-embedding-type rope \
    --swiglu \
    --untie-embeddings-and-output-weights \
    --group-query-attention \
    --num-query-groups 8 \
    --no-masked-softmax-fusion \
    --no-position-embedding \
    --rotary-base 1000000"
moe="--num-experts 8 --moe-router-topk 2 --moe-router-load-balancing-type aux_loss --moe-aux-loss-coeff 1e-2 \
    --moe-grouped-gemm --moe-token-dispatcher-type alltoall --moe-permute-fusion"
run_cmd="python -u pretrain_gpt.py ${options} ${moe} \
    --padded-vocab-size 32000 --micro-batch-size 1 --global-batch-size 256 --train-samples 1e7 \
    --tensor-model-parallel-size 1 --pipeline-model-parallel-size 4 --num-layers-per-virtual-pipeline-stage 8 \
    --expert-model-parallel-size 8 --use-distributed-optimizer --sequence-parallel \
    --overlap-grad-reduce --overlap-param-gather --bf16"
srun -l bash -c "${run_cmd}"
