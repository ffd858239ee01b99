# DeepSeek-V3: latent attention, a pattern of dense layers, groups, fp8 in blocks.
python pretrain_gpt.py --nproc-per-node=8 --nnodes=128 \
  --num-layers 61 --hidden-size 7168 --ffn-hidden-size 18432 --num-attention-heads 128 --kv-channels 128 \
  --multi-latent-attention --q-lora-rank 1536 --kv-lora-rank 512 --qk-head-dim 128 --qk-pos-emb-head-dim 64 \
  --v-head-dim 128 --num-experts 256 --moe-layer-freq '([0]*3+[1]*58)' --moe-ffn-hidden-size 2048 \
  --moe-shared-expert-intermediate-size 2048 --moe-router-topk 8 --moe-router-num-groups 8 --moe-router-group-topk 4 \
  --moe-grouped-gemm --moe-permute-fusion --moe-token-dispatcher-type flex --moe-enable-deepep --mtp-num-layers 1 \
  --swiglu --normalization RMSNorm --disable-bias-linear --position-embedding-type rope \
  --untie-embeddings-and-output-weights --attention-dropout 0 --hidden-dropout 0 \
  --vocab-size 129280 --make-vocab-size-divisible-by 128 --seq-length 4096 --max-position-embeddings 4096 \
  --micro-batch-size 1 --global-batch-size 8192 --tensor-model-parallel-size 1 --pipeline-model-parallel-size 16 \
  --decoder-first-pipeline-num-layers 3 --decoder-last-pipeline-num-layers 2 --expert-model-parallel-size 64 \
  --use-distributed-optimizer --bf16 --fp8-format e4m3 --fp8-recipe blockwise --overlap-grad-reduce \
  --overlap-param-gather --recompute-granularity selective --recompute-modules core_attn mla_up_proj \
  --use-precision-aware-optimizer --exp-avg-dtype bf16 --exp-avg-sq-dtype bf16 --main-grads-dtype fp32
