#!/usr/bin/env bash
# The operator figures of docs/accuracy/operators.md as Markdown, each with the command that prints it.
# usage: tests/accuracy/figures.sh TRAINPLAN DATA    (DATA: the folder that holds operators/)
set -euo pipefail
trainplan=$(realpath "$1")
cd "$2"

percent() { awk -v x="$1" 'BEGIN { if (x == "null") print "-"; else printf "%.1f %%", 100 * x }'; }

# Geomean error over everything that was left out, weighted by rows; a fold of `holdout` is one left-out group.
left_out() { jq -r '[.holdout[] | select(.rows > 0)] | if length == 0 then "null" else
  (([.[] | .rows * ((1 + .geomean_error) | log)] | add) / ([.[].rows] | add) | exp - 1) end'; }

row() { # WHAT LIMIT COMMAND...
  local what=$1 limit=$2
  shift 2
  local json
  json=$("$trainplan" calibrate "$@" --format json --quiet)
  printf '| %s | %s | %s | %s | `calibrate %s` |\n' "$what" "$(jq -r .rows <<<"$json")" \
    "$(percent "$(left_out <<<"$json")")" "$limit" "$(quoted "$@")"
}
score() { # WHAT LIMIT COMMAND...
  local what=$1 limit=$2
  shift 2
  local json
  json=$("$trainplan" calibrate "$@" --format json --quiet)
  printf '| %s | %s | %s | %s | `calibrate %s` |\n' "$what" "$(jq -r .rows <<<"$json")" \
    "$(percent "$(jq -r .geomean_error <<<"$json")")" "$limit" "$(quoted "$@")"
}
# The arguments as one would type them.
quoted() {
  local word out=''
  for word in "$@"; do
    [[ $word =~ [[:space:]\"] ]] && word="'$word'"
    out+="${out:+ }${word#operators/}"
  done
  printf '%s' "$out"
}

head_row() { printf '| what | rows | error | limit | command |\n| --- | --- | --- | --- | --- |\n'; }

large='m >= 256 and 2*m*n*k >= 1e9'
mib='size_bytes >= 1048576'
ai=operators/aiconfigurator blackwell=operators/blackwell neusight=operators/neusight

echo '### Left out by group'
echo
head_row
while read -r name file gpu precision table wave; do
  row "GEMM $name, model table" "$table" gemm "$ai/$file" --gpu "$gpu" --precision "$precision" --within "$large"
  row "GEMM $name, table, all sizes" '10 %' gemm "$ai/$file" --gpu "$gpu" --precision "$precision"
  row "GEMM $name, model wave" "$wave" gemm "$ai/$file" --gpu "$gpu" --precision "$precision" --model wave --within "$large"
done <<'TABLE'
A100 gemm_bf16_a100_sxm80.csv a100-sxm-80gb bf16 6% 8%
H100 gemm_bf16_h100_sxm80.csv h100-sxm-80gb bf16 6% 8%
B200 gemm_bf16_b200_sxm.csv b200-180gb bf16 7% 10%
H100-fp8 gemm_fp8_h100_sxm80.csv h100-sxm-80gb fp8 - -
TABLE
while read -r name file gpu precision; do
  row "Experts $name $precision, a layer left out" '10 %' experts "$blackwell/moe_expert_gemm_$file.csv" --gpu "$gpu" --precision "$precision"
done <<'TABLE'
B200 bf16_b200_sxm b200-180gb bf16
GB200 bf16_gb200 gb200-186gb bf16
B300 bf16_b300_sxm b300-288gb bf16
GB300 bf16_gb300 gb300-288gb bf16
H100 bf16_h100_sxm80 h100-sxm-80gb bf16
B200 fp8_b200_sxm b200-180gb fp8
H100 fp8_h100_sxm80 h100-sxm-80gb fp8
B200 fp8_block_b200_sxm b200-180gb mxfp8
GB200 fp8_block_gb200 gb200-186gb mxfp8
B300 fp8_block_b300_sxm b300-288gb mxfp8
GB300 fp8_block_gb300 gb300-288gb mxfp8
GB300 nvfp4_gb300 gb300-288gb nvfp4
TABLE
while read -r name file gpu op limit; do
  row "$name $op inside a node" "$limit" collective "$ai/$file" --gpu "$gpu" --where "op == \"$op\"" --within "$mib"
done <<'TABLE'
A100 collectives_a100_sxm80_nccl2.27.3.csv a100-sxm-80gb all_reduce 6%
A100 collectives_a100_sxm80_nccl2.27.3.csv a100-sxm-80gb all_gather 6%
A100 collectives_a100_sxm80_nccl2.27.3.csv a100-sxm-80gb reduce_scatter 6%
A100 collectives_a100_sxm80_nccl2.27.3.csv a100-sxm-80gb alltoall 6%
H100 collectives_h100_sxm80_nccl2.29.2.csv h100-sxm-80gb all_reduce 6%
H100 collectives_h100_sxm80_nccl2.29.2.csv h100-sxm-80gb all_gather 6%
H100 collectives_h100_sxm80_nccl2.29.2.csv h100-sxm-80gb alltoall 12%
B200 collectives_b200_sxm_nccl2.29.2.csv b200-180gb all_reduce 6%
B200 collectives_b200_sxm_nccl2.29.2.csv b200-180gb all_gather 6%
B200 collectives_b200_sxm_nccl2.29.2.csv b200-180gb alltoall 6%
TABLE
logs=(operators/nccl_logs/h100_clusterB_N10_G2.log operators/nccl_logs/h100_clusterB_N10_G8.log)
for op in all-reduce all-gather reduce-scatter; do
  row "H100 $op over ten nodes, a layout left out" '12%' nccl-tests "${logs[@]}" --cluster dgx-h100 \
    --where "op == \"$op\"" --within 'size_bytes >= 67100000'
done
row 'attention forward, A100 causal' '8%' attention "$ai/attention_causal_fwd_bf16_a100_sxm80.csv" --gpu a100-sxm-80gb --kernel flash2
row 'attention forward, H100 causal' '8%' attention "$ai/attention_causal_fwd_bf16_h100_sxm80.csv" --gpu h100-sxm-80gb --kernel flash3
row 'attention forward, H100 bidirectional' '8%' attention "$ai/attention_bidirectional_fwd_bf16_h100_sxm80.csv" --gpu h100-sxm-80gb --kernel flash3
while read -r name file gpu; do
  row "LayerNorm $name, from 1M elements" '10%' vector "$neusight/$file" --gpu "$gpu" --where 'op == "ln"' --within 'B*H >= 1000000'
  row "softmax $name" '12%' vector "$neusight/$file" --gpu "$gpu" --where 'op == "softmax"' --within 'B*H >= 1000000'
  row "arithmetic $name" '10%' vector "$neusight/$file" --gpu "$gpu" \
    --where 'op in ["add","sub","mul","div","addu","subu","mulu","divu"]' --within 'B*H >= 1000000'
  row "activations $name" '10%' vector "$neusight/$file" --gpu "$gpu" --where 'op in ["gelu","relu","tanh"]' --within 'B*H >= 1000000'
done <<'TABLE'
V100 vector_fp32_v100_pcie32.csv v100-sxm2-32gb
A100 vector_fp32_a100_pcie40.csv a100-pcie-40gb
MI210 vector_fp32_mi210.csv mi210
TABLE

echo
echo '### Recurrent mixers and sparse attention'
echo
head_row
# TABLE's name of the part, the catalogue's, a part whose shipped figures price it: the accelerator left out.
while read -r part gpu other; do
  engine="gpu == \"$part\" and framework == \"sglang\""
  for table in gated_delta_net kimi_delta_attention; do
    row "$table, $gpu" - scan "$blackwell/${table}_fwd.csv" --gpu "$gpu" --where "$engine"
    score "$table, $gpu by $other" - scan "$blackwell/${table}_fwd.csv" --gpu "$gpu" --score "$other" --where "$engine"
  done
  sparse=$blackwell/sparse_attention_kernels_fwd.csv
  row "selection, $gpu" - selection "$sparse" --gpu "$gpu" --where "gpu == \"$part\""
  score "selection, $gpu by $other" - selection "$sparse" --gpu "$gpu" --score "$other" --where "gpu == \"$part\""
  row "attention to chosen keys, $gpu" - attention "$sparse" --gpu "$gpu" --kernel selected --model fused \
    --where "gpu == \"$part\""
  score "attention to chosen keys, $gpu by $other" - attention "$sparse" --gpu "$gpu" --kernel selected --model fused \
    --score "$other" --where "gpu == \"$part\""
  row "convolution, $gpu" - vector "$blackwell/gated_delta_net_fwd.csv" --gpu "$gpu" --where "$engine"
  row "hyper-connections, $gpu" - vector "$blackwell/hyper_connections_fwd.csv" --gpu "$gpu" \
    --where "gpu == \"$part\" and num_tokens >= 2048"
done <<'TABLE'
h100_sxm80 h100-sxm-80gb b200
b200_sxm b200-180gb h100-sxm
b300_sxm b300-288gb b200
gb200 gb200-186gb b200
gb300 gb300-288gb b200
TABLE
row 'state space (Mamba-2), b200-180gb' - scan "$blackwell/mamba2_fwd.csv" --gpu b200-180gb --where 'gpu == "b200_sxm"'
training=operators/training_kernels
for op in chunk_gdn chunk_retention; do
  score "$op of fla, backward, 8192 tokens and more, gb200" - scan "$training/linear_attention_fwd_fwdbwd_gb200.csv" \
    --gpu gb200-186gb --score gb200 --where "op == \"$op\" and mode == \"fwdbwd\" and seq_len >= 8192"
done
row 'DeepSeek-V4 attention both ways, mi355x' - attention "$training/deepseek_v4_attention_fwd_bwd_mi355x.csv" \
  --gpu mi355x-288gb --kernel selected --model fused --where 'backend == "turbo_flydsl"'

echo
echo '### Projected from one base operator (model baseline)'
echo
echo 'Base: BERT-large, 8 sequences of 512, in fp32. Pati 2024 (5.3.3.8) states 15 % for GEMMs, 7 % for LayerNorm, 11 % for all-reduce.'
echo
head_row
base='run == "bert_large-train-512-8" and fw_ms > 0.6'
projected() { # WHAT LIMIT GROUP COMMAND...
  local what=$1 limit=$2 group=$3
  shift 3
  local json
  json=$("$trainplan" calibrate "$@" --format json --quiet)
  printf '| %s | %s | %s | %s | `calibrate %s` |\n' "$what" \
    "$(jq -r --arg g "$group" '[.holdout[] | select(.left_out == $g) | .rows] | add' <<<"$json")" \
    "$(percent "$(jq -r --arg g "$group" '[.holdout[] | select(.left_out == $g) | .geomean_error][0]' <<<"$json")")" \
    "$limit" "$(quoted "$@")"
}
while read -r name trace gpu; do
  for fold in 'GEMMs of 3e10 FLOP and more|15%|op = large gemm' 'operators, the whole list|-|all but the base'; do
    IFS='|' read -r what limit left <<<"$fold"
    projected "$name $what" "$limit" "$left" baseline "$neusight/model_op_traces_fp32.csv" --gpu "$gpu" \
      --where "gpu == \"$trace\"" --base "$base"
  done
done <<'TABLE'
A100 NVIDIA_A100_80GB_PCIe a100-pcie-80gb
H100 NVIDIA_H100_80GB_HBM3 h100-sxm-80gb
MI210 AMD_Instinct_MI210 mi210
TABLE
# The projection of norms and collectives takes its ratio from the calibration's own row, which may not have seen what
# is scored: it is fitted to the rest first. Norms: without a fifth of the widths at a time; all-reduce: below 32 MiB.
left_out=$(mktemp -d)
trap 'rm -r "$left_out"' EXIT
mkdir "$left_out/calibrations"
but_the_base='.holdout[] | select(.left_out == "all but the base")'
scored_widths() { awk -F, '$1 == "ln" && $2 * $3 >= 1.6e7 { print $3 }' "$1" | sort -nu; }
norms_of_fold() { # FILE GPU CALIBRATION BASE FOLD
  local widths
  widths=$(scored_widths "$1" | awk -v k="$5" 'NR % 5 == k' | paste -sd,)
  "$trainplan" calibrate vector "$1" --gpu "$2" --where "op == \"ln\" and (not (H in [$widths]) or $4)" --quiet \
    >"$left_out/calibrations/$3.yaml"
  "$trainplan" calibrate vector "$1" --gpu "$2" --catalog "$left_out" --model baseline --format json --quiet \
    --where "op == \"ln\" and B*H >= 1.6e7 and (H in [$widths] or $4)" --base "$4" | jq "$but_the_base"
}
norms() { # WHAT FILE GPU CALIBRATION BASE
  local what=$1 json
  shift
  json=$(for fold in 0 1 2 3 4; do norms_of_fold "$@" "$fold"; done | jq -s '{holdout: .}')
  printf '| %s LayerNorm of 16M elements and more | %s | %s | 12%% | `%s` |\n' "$what" \
    "$(jq '[.holdout[].rows] | add' <<<"$json")" "$(percent "$(left_out <<<"$json")")" \
    "calibrate vector ${1#operators/} --gpu $2 --catalog LEFT_OUT --model baseline --base '$4'"
}
while IFS='|' read -r name file gpu calibration one three; do
  norms "$name" "$neusight/$file" "$gpu" "$calibration" "$one"
  norms "$name, three widths:" "$neusight/$file" "$gpu" "$calibration" "$three"
done <<'TABLE'
A100|vector_fp32_a100_pcie40.csv|a100-pcie-40gb|a100-pcie|B == 8192 and H == 2048|B == 8192 and H in [2048, 4096, 8192]
V100|vector_fp32_v100_pcie32.csv|v100-sxm2-32gb|v100-sxm|B == 8192 and H == 2048|B == 8192 and H in [2048, 4096, 8192]
MI210|vector_fp32_mi210.csv|mi210|mi210|B == 12144 and H == 2048|B == 12144 and H == 2048 or B == 8912 and H == 3000 or B == 7448 and H == 4096
TABLE
while read -r name file gpu calibration; do
  "$trainplan" calibrate collective "$ai/$file" --gpu "$gpu" --model alpha-beta --quiet \
    --where 'op == "all_reduce" and size_bytes < 33554432' >"$left_out/calibrations/$calibration.yaml"
  projected "$name all-reduce over 8 of 32 MiB and more" '15%' 'all but the base' collective "$ai/$file" --gpu "$gpu" \
    --catalog "$left_out" --model baseline \
    --where 'op == "all_reduce" and size_bytes >= 33554432 and num_gpus == 8 and dtype == "half"' --base 'size_bytes == 134217728' |
    sed "s#$left_out#LEFT_OUT#"
done <<'TABLE'
A100 collectives_a100_sxm80_nccl2.27.3.csv a100-sxm-80gb a100-sxm
H100 collectives_h100_sxm80_nccl2.29.2.csv h100-sxm-80gb h100-sxm
TABLE
