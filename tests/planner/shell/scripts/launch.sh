# A launch script of the usual form: sizes by a case, arguments in lists, options by conditions.
MODEL_SIZE=${MODEL_SIZE:-7B}
TP=${TP:-"2"}
case $MODEL_SIZE in
  1B) LAYERS=16; HIDDEN=2048 ;;
  7B | 8B)
    LAYERS=32
    HIDDEN=4096
    ;;
  *) echo "unknown size $MODEL_SIZE"; exit 1 ;;
esac
FP8=false
if [[ $FP8 == true ]]; then
  PRECISION_ARGS="--fp8-format hybrid"
elif [ "$FP8" = "false" ]; then
  PRECISION_ARGS="--bf16"
else
  exit 1
fi
usage() {
  echo "usage: $0 ..."
  exit 1
}
[ $LAYERS -gt 0 ] || usage
GPUS=8
NODES=$((16 / GPUS))
MODEL_ARGS=(
    --num-layers $LAYERS   # of the size
    --hidden-size $HIDDEN
    --moe-layer-freq "'([0]*1+[1]*3)'"
)
if ((NODES > 1)); then
  MODEL_ARGS+=(--use-distributed-optimizer)
fi
while getopts_are_missing=1 && [ ${#MODEL_ARGS[@]} -gt 100 ]; do break; done
cat > config.json <<JSON
{"train_batch_size": $GPUS, "quoted": "$MODEL_SIZE"}
JSON
CMD="torchrun --nproc_per_node $GPUS --nnodes $NODES pretrain_gpt.py \
  ${MODEL_ARGS[@]} \
  --tensor-model-parallel-size ${TP} \
  $PRECISION_ARGS"
eval "$CMD"
$CMD --twice > run.log 2>&1
srun --nodes=2 bash -c "torchrun --rank \$0 pretrain_gpt.py $PRECISION_ARGS" rank
