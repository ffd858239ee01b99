# Nemotron 3 Super 120B-A12B: experts that work on narrowed tokens, and two prediction layers behind '/'.
torchrun --nproc-per-node=8 --nnodes=64 pretrain_hybrid.py \
  --hybrid-layer-pattern 'MEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEM*EMEMEMEME/*E/*E' \
  --hidden-size 4096 --ffn-hidden-size 2688 --num-attention-heads 32 --kv-channels 128 --group-query-attention \
  --num-query-groups 2 --mamba-num-heads 128 --mamba-head-dim 64 --mamba-num-groups 8 --mamba-state-dim 128 \
  --num-experts 512 --moe-router-topk 22 --moe-ffn-hidden-size 2688 --moe-latent-size 1024 \
  --moe-shared-expert-intermediate-size 5376 --moe-grouped-gemm --moe-token-dispatcher-type alltoall \
  --squared-relu --normalization RMSNorm --disable-bias-linear --position-embedding-type none \
  --untie-embeddings-and-output-weights --attention-dropout 0 --hidden-dropout 0 --vocab-size 131072 \
  --seq-length 8192 --max-position-embeddings 8192 --micro-batch-size 1 --global-batch-size 3072 \
  --tensor-model-parallel-size 4 --sequence-parallel --expert-model-parallel-size 64 --expert-tensor-parallel-size 1 \
  --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather --bf16
