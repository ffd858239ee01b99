# Nemotron 3 Nano 30B-A3B: Mamba-2, attention and experts, a letter each; one run of letters for each stage.
torchrun --nproc-per-node=8 --nnodes=16 pretrain_hybrid.py \
  --hybrid-layer-pattern 'MEMEM*EMEMEM*EMEMEM*EMEMEM|*EMEMEM*EMEMEMEM*EMEMEMEME' \
  --spec megatron.core.models.hybrid.hybrid_layer_specs hybrid_stack_spec \
  --hidden-size 2688 --ffn-hidden-size 1856 --num-attention-heads 32 --kv-channels 128 --group-query-attention \
  --num-query-groups 2 --mamba-num-heads 64 --mamba-head-dim 64 --mamba-num-groups 8 --mamba-state-dim 128 \
  --use-mamba-mem-eff-path --num-experts 128 --moe-router-topk 6 --moe-ffn-hidden-size 1856 \
  --moe-shared-expert-intermediate-size 3712 --moe-router-score-function sigmoid --moe-router-enable-expert-bias \
  --moe-grouped-gemm --moe-token-dispatcher-type alltoall --squared-relu --normalization RMSNorm \
  --disable-bias-linear --position-embedding-type none --untie-embeddings-and-output-weights \
  --attention-dropout 0 --hidden-dropout 0 --vocab-size 131072 --seq-length 8192 --max-position-embeddings 8192 \
  --micro-batch-size 1 --global-batch-size 512 --tensor-model-parallel-size 1 --pipeline-model-parallel-size 2 \
  --expert-model-parallel-size 8 --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather --bf16
