# Nemotron-H-56B by the flags of releases until 0.16: the pattern beside the number of its layers.
torchrun --nproc-per-node=8 --nnodes=96 pretrain_mamba.py --is-hybrid-model --num-layers 118 \
  --hybrid-override-pattern 'M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-' \
  --spec megatron.core.models.mamba.mamba_layer_specs mamba_stack_spec \
  --hidden-size 8192 --ffn-hidden-size 32768 --num-attention-heads 64 --kv-channels 128 --group-query-attention \
  --num-query-groups 8 --mamba-state-dim 256 --mamba-head-dim 64 --squared-relu --normalization RMSNorm \
  --disable-bias-linear --position-embedding-type none --untie-embeddings-and-output-weights --attention-dropout 0 \
  --hidden-dropout 0 --vocab-size 131072 --seq-length 8192 --max-position-embeddings 8192 --micro-batch-size 1 \
  --global-batch-size 768 --tensor-model-parallel-size 8 --sequence-parallel --use-distributed-optimizer \
  --overlap-grad-reduce --overlap-param-gather --bf16 --fp8-format hybrid --fp8-recipe tensorwise
