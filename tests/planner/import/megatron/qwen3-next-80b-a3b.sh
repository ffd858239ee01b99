# Qwen3-Next 80B-A3B: three layers of a gated delta net and one of gated attention, all with experts.
torchrun --nproc-per-node=8 --nnodes=32 pretrain_gpt.py --num-layers 48 --hidden-size 2048 --ffn-hidden-size 5120 \
  --num-attention-heads 16 --kv-channels 256 --group-query-attention --num-query-groups 2 --qk-layernorm \
  --attention-output-gate --experimental-attention-variant gated_delta_net --linear-attention-freq 4 \
  --linear-conv-kernel-dim 4 --linear-key-head-dim 128 --linear-value-head-dim 128 --linear-num-key-heads 16 \
  --linear-num-value-heads 32 --num-experts 512 --moe-router-topk 10 --moe-ffn-hidden-size 512 \
  --moe-shared-expert-intermediate-size 512 --moe-shared-expert-gate --moe-grouped-gemm --moe-permute-fusion \
  --moe-token-dispatcher-type alltoall --swiglu --normalization RMSNorm --apply-layernorm-1p --disable-bias-linear \
  --position-embedding-type rope --rotary-percent 0.25 --untie-embeddings-and-output-weights --attention-dropout 0 \
  --hidden-dropout 0 --vocab-size 151936 --make-vocab-size-divisible-by 64 --seq-length 4096 \
  --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 1024 --pipeline-model-parallel-size 4 \
  --expert-model-parallel-size 32 --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather --bf16
