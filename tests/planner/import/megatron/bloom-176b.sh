#!/bin/bash
# BLOOM's main run as a script: figures of the BLOOM paper (Scao et al. 2022, sec. 3) and of
# bigscience/train/tr11-176B-ml; the words are this project's.
#SBATCH --nodes=48
#SBATCH --ntasks-per-node=1
#SBATCH --gres=gpu:8
set -x -e
GPUS_PER_NODE=8
TP=4
PP=12
MICRO_BATCH=2
BATCH=2048
STAGE=0   # its bf16 optimizer shards states all the same
SAMPLES=220_000_000
CONFIG=./ds_config.$SLURM_JOB_ID.json

cat <<EOT > $CONFIG
{
  "train_micro_batch_size_per_gpu": $MICRO_BATCH,
  "train_batch_size": $BATCH,
  "gradient_clipping": 1.0,
  "zero_optimization": {"stage": $STAGE},
  "bf16": {"enabled": true}
}
EOT

MODEL=" \
    --num-layers 70 \
    --hidden-size 14336 \
    --num-attention-heads 112 \
    --seq-length 2048 \
    --max-position-embeddings 2048 \
    --position-embedding-type alibi \
    --embed-layernorm \
    --pad-vocab-size-to 250880 \
    --hidden-dropout 0 --attention-dropout 0 \
    "
export LAUNCHER="python -u -m torch.distributed.run --nproc_per_node $GPUS_PER_NODE --nnodes $SLURM_NNODES"
export CMD=" \
    `pwd`/pretrain_gpt.py \
    --tensor-model-parallel-size $TP \
    --pipeline-model-parallel-size $PP \
    $MODEL \
    --micro-batch-size $MICRO_BATCH --global-batch-size $BATCH --train-samples $SAMPLES \
    --bf16 --optimizer adam --lr 6e-5 \
    --checkpoint-activations \
    --deepspeed --deepspeed_config ${CONFIG} --zero-stage ${STAGE} --deepspeed-activation-checkpointing \
    "
srun --wait=60 --jobid $SLURM_JOB_ID bash -c "$LAUNCHER --node_rank \$SLURM_PROCID $CMD" 2>&1 | tee main.log
