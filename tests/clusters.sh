#!/usr/bin/env bash
# Runs the texts of `trainplan emit` with the real programs: GNU parallel, Slurm on this one machine, Snakemake. For
# Kubernetes a stand-in starts the command of the Job once for each index. Each must give the same bytes as one search.
# Debian has no package of Nextflow: its text is not run.
# usage: tests/clusters.sh TRAINPLAN [TARGET...]
set -euo pipefail
binary=$(realpath "$1")
shift
work=$(mktemp -d)
cleanup() {
  if [[ -d $work/slurm ]]; then stop_slurm; fi
  rm -rf "$work"
}
trap cleanup EXIT
mkdir "$work/bin"
ln -s "$binary" "$work/bin/trainplan"
export PATH=$work/bin:$PATH
fail() { printf 'clusters: %s\n' "$1"; exit 1; }

job="it's a {} {.} \$(job) {= \$_ = 1 =}.yaml"   # each program is given the name as it is
cat >"$work/$job" <<'YAML'
model: {use: gpt3-13b}
job: {sequence: 2048, global_batch: 640, tokens: 1e12}
cluster: {use: dgx-a100-80gb, gpus: 320}
parallelism:
  tp: [1, 2, 4, 8]
  pp: divisors(model.layers)
  microbatch: [1, 2, 4]
  recompute: [none, selective, full]
  zero: [0, 1]
YAML
flags=(--pareto days,usd --set "goal={minimize: step}")
shards=5

# In a folder of its own: the text of a target, and the result of one search to compare with.
begin() {
  mkdir "$work/$1"
  cd "$work/$1"
  cp "$work/$job" .
  trainplan search "$job" "${flags[@]}" --format json --output whole.json
  trainplan emit "$1" "$job" "${flags[@]}" --shards "$shards" --threads 1 --output text
}
end() {
  cmp result.json whole.json || fail "$1: other bytes than of one search"
  printf '%s: the bytes of one search\n' "$1"
}

parallel_() {
  begin parallel
  bash text
  end parallel
}

snakemake_() {
  begin snakemake
  snakemake --snakefile text --cores 2 --quiet >log 2>&1 || { cat log; fail 'snakemake'; }
  end snakemake
}

# Every index once, one after the other, as the kubelet would start its container, but on this machine and in this folder.
kubernetes_() {
  local index command
  begin kubernetes
  command=$(python3 - <<'PY'
import json, re
text = open("text").read()
words = re.search(r"args:\n\s+- (\".*\")\n", text).group(1)
print(json.loads(words).replace("$$", "$"))
PY
)
  for ((index = 0; index < shards; index++)); do JOB_COMPLETION_INDEX=$index /bin/sh -c "$command"; done
  trainplan merge shard-*.json --format json --output result.json
  end kubernetes
}

stop_slurm() {
  local name
  for name in slurmctld slurmd munged; do
    if [[ -f $work/slurm/$name.pid ]]; then kill "$(cat "$work/slurm/$name.pid")" 2>/dev/null || true; fi
  done
  sleep 1
}

# A controller and a node, both this machine, with files of their own.
start_slurm() {
  local slurm=$work/slurm host
  host=$(hostname -s)
  mkdir "$slurm"
  chmod 755 "$work" "$slurm"
  dd if=/dev/urandom of="$slurm/munge.key" bs=128 count=1 2>/dev/null
  chmod 400 "$slurm/munge.key"
  munged --key-file "$slurm/munge.key" --socket "$slurm/munge.socket" --pid-file "$slurm/munged.pid" \
    --log-file "$slurm/munged.log" --seed-file "$slurm/munge.seed" --force
  cat >"$slurm/slurm.conf" <<CONF
ClusterName=trainplan
SlurmctldHost=$host
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$slurm/munge.socket
CryptoType=crypto/munge
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
ReturnToService=2
NodeName=$host CPUs=$(nproc) RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=10 State=UP
CONF
  mkdir "$slurm/state" "$slurm/spool"
  export SLURM_CONF=$slurm/slurm.conf
  slurmctld -f "$SLURM_CONF"
  slurmd -f "$SLURM_CONF"
  for _ in {1..60}; do
    if sinfo --noheader --format %t 2>/dev/null | grep -qE 'idle|mix'; then return; fi
    sleep 0.5
  done
  cat "$slurm"/*.log
  fail 'slurm: the node does not come up'
}

# Two shards are lost, and searched again by the list of `merge --missing`.
slurm_() {
  start_slurm
  mkdir "$work/in"
  cd "$work/in"
  cp "$work/$job" .
  trainplan search "$job" "${flags[@]}" --format json --output whole.json
  trainplan emit slurm "$job" "${flags[@]}" --shards "$shards" --threads 1 --output text
  sbatch --wait text || { cat shard-*.log; fail 'slurm: the array failed'; }
  rm shard-2.json shard-5.json
  [[ $(trainplan merge --missing shard-*.json) == 2,5 ]] || fail 'slurm: other shards are missing'
  sbatch --wait --array="$(trainplan merge --missing shard-*.json)" text || { cat shard-*.log; fail 'slurm: the second array failed'; }
  trainplan merge shard-*.json --format json --output result.json
  end slurm
}

[[ $# -gt 0 ]] || set -- parallel snakemake kubernetes slurm
for target in "$@"; do "${target}_"; done
