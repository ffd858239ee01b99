#!/usr/bin/env bash
# usage: tests/accuracy/priors.sh DIR
#
# Writes the catalogue as it was before anything was fitted to steps into DIR, for `--catalog DIR`: each number that
# docs/accuracy/fits.md lists at its prior. A row that finds nothing to put back is an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
[[ $# -eq 1 ]] || { echo "usage: tests/accuracy/priors.sh DIR" >&2; exit 2; }
out=$1
mkdir -p "$out"/{software,calibrations,clusters}
cp scenarios/software/*.yaml "$out/software"
cp operator_models/calibrations/*.yaml "$out/calibrations"
cp hw_profiles/clusters/*.yaml "$out/clusters"

# put FILE FITTED PRIOR: as the file writes them
put() {
  local file=$out/$1.yaml
  grep -qF -- "$2" "$file" || { echo "priors.sh: $1 does not say '$2'" >&2; exit 1; }
  sed -i "s|${2//./\\.}|$3|g" "$file"
}

while IFS='|' read -r file fitted prior; do
  [[ -z $file ]] || put "$file" "$fitted" "$prior"
done <<'TABLE'
software/megatron-deepspeed-vtrain|vector_slowdown: 1.168|vector_slowdown: 1
software/megatron-deepspeed-vtrain|launch: 57.36 us|launch: 40 us
software/nemo|step_overhead: 79.15 ms|step_overhead: 0 ms
software/nemo|vector_slowdown: 1.385|vector_slowdown: 1
software/nemo|gap: 13.39 us|gap: 0 us
software/nemo-mlperf|narrow_gap: 32.24 us|# as nemo
software/simumax-megatron|step_overhead: 31.76 ms|step_overhead: 0 ms
software/simumax-megatron|skew: 13.04 us|skew: 0 us
software/composer-fsdp-pure|hidden_data: 0.7601|hidden_data: 1
software/composer-fsdp|hidden_data: 0.8339|hidden_data: 1
software/composer-fsdp|step_overhead: 42.84 ms|step_overhead: 0 ms
software/internevo|step_overhead: 116.1 ms|step_overhead: 0 ms
software/megatron-bridge|vector_slowdown: 1.246|vector_slowdown: 1
software/megatron-bridge|straggling: 0.006561|straggling: 0
software/megatron-core|1.961 ms, if(software.experts.permute, 2.954 ms, 5.06 ms)|2 ms, if(software.experts.permute, 2 ms, 2 ms)
software/megatron-core|narrow_gap: 16.17 us|narrow_gap: 0 us
software/megatron-core|hidden_experts: 0.8799|hidden_experts: 1
software/ddp-apex|vector_slowdown: if(cluster.gpu.platform == "rocm", 1, 1.241)|vector_slowdown: 1
software/megatron-deepspeed|fragmentation: 1.039|fragmentation: 1.1
clusters/opa-a100|skew: 609.6 us|skew: 0 us
calibrations/a100-sxm|sustained: 0.9513|sustained: 1
calibrations/a100-sxm|backward: 0.2648|backward: 0.29
calibrations/a100-sxm|small_head: 0.9971|small_head: 0.85
calibrations/a100-sxm|slowdown: 1.342|slowdown: 1.126
calibrations/b200|sustained: 0.7588|sustained: 1
calibrations/b200|backward: 0.3518|backward: 0.44
calibrations/gb200|sustained: 0.7919|sustained: 0.94
calibrations/gb200|backward: 0.2527|backward: 0.44
calibrations/h100-sxm|sustained: 0.8233|sustained: 0.905
calibrations/h100-sxm|sustained: 0.8895|sustained: 1
calibrations/h100-sxm|backward: 0.151|backward: 0.163
calibrations/h100-sxm-96gb|sustained: 0.7568|sustained: 0.905
calibrations/h100-sxm-96gb|sustained: 0.8184|sustained: 1
calibrations/h100-sxm-96gb|slowdown: 1.463|slowdown: 1.126
clusters/roce-a100-4x100|step: 7198 ns|step: 4500 ns
TABLE
