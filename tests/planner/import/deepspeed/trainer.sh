#!/bin/bash
# A run of transformers' run_clm.py on two nodes: values that auto.json leaves to the Trainer.
GPUS=8
deepspeed --num_nodes 2 --num_gpus $GPUS run_clm.py --deepspeed auto.json \
  --model_name_or_path meta-llama/Llama-3.1-8B --dataset_name wikitext --do_train \
  --per_device_train_batch_size 2 --gradient_accumulation_steps 8 --block_size 4096 --max_steps 1000 \
  --bf16 --gradient_checkpointing --learning_rate 2e-5 --output_dir out
