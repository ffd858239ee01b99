#!/usr/bin/env bash
# Names that mean something to shells, GNU parallel, Python or YAML, through what `emit` and `export` print: each text is
# run, with stand-ins for the programs that it starts, and they are given the names as they are.
# usage: tests/quoting_test.sh SOURCE_DIR TRAINPLAN
set -euo pipefail
config=$(realpath "$1")/tests/planner/import/hf/llama-3.1-8b/config.json
trainplan=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/run"
export PATH=$work/bin:$PATH LOG=$work/log
fail() { printf 'quoting: %s\n' "$*"; exit 1; }

# stand_in NAME TEXT
stand_in() { printf '#!/bin/bash\n%s\n' "$2" >"$work/bin/$1" && chmod +x "$work/bin/$1"; }
stand_in trainplan 'if [[ $1 != merge ]]; then printf "%s\0" "$@" >"$LOG"; fi'
stand_in accelerate 'printf "%s\0" "$@" >"$LOG"'
stand_in srun 'exec "$@"'
# Like GNU parallel: the words up to ":::" are a shell command, in which braces are replaced.
stand_in parallel 'command=()
while [[ $1 == --jobs || $1 == --retries ]]; do shift 2; done
while [[ $1 != ::: ]]; do command+=("$1"); shift; done
text=$(sed -E "s/\{\}/$2/g; s/\{([.#%\/+0-9]+|=[^}]*)\}/REPLACED/g" <<<"${command[*]}")
exec bash -c "$text"'

# was_given WORD TARGET: the program that was run last got it.
was_given() {
  local -a words
  mapfile -d '' -t words <"$LOG"
  local word
  for word in "${words[@]}"; do [[ $word != "$1" ]] || return 0; done
  fail "$2: '$1' is not among: $(printf '<%s> ' "${words[@]}")"
}

names=("it's.yaml" 'a "b".yaml' '$(touch PWNED).yaml' '`touch PWNED`.yaml' '{}.yaml' '{.}{#}{= $_ = 1 =}.yaml' '$$(HOME)$(HOME).yaml'
  '\u0041\n\\.yaml' ';touch PWNED;.yaml' '*[a]?.yaml' '#x & y.yaml' ':::.yaml' '{i} {input}.yaml' '%s !x ~.yaml' 'grün.yaml' '-x.yaml')
set='goal={minimize: "step"}'   # quotes, braces and blanks
cd "$work/run"
scenario='
model: {use: gpt3-1.3b}
job: {sequence: 2048, global_batch: 64}
cluster: {use: dgx-a100-80gb, gpus: 8}
parallelism: {tp: [1, 2]}'

for name in "${names[@]}"; do
  printf '%s\n' "$scenario" >"./$name"
  for target in slurm parallel kubernetes; do
    "$trainplan" emit "$target" --shards 2 --set "$set" --output "$work/text" -- "$name"
    rm -f "$LOG"
    case $target in
      kubernetes)   # its "$$" is "$"
        command=$(sed -n 's/^ *- \(".*"\)$/\1/p' "$work/text" | jq -r . | sed 's/\$\$/$/g')
        JOB_COMPLETION_INDEX=0 sh -c "$command" ;;
      *) SLURM_ARRAY_TASK_ID=1 bash "$work/text" ;;
    esac
    was_given "${name/#-/./-}" "$target"
    was_given "$set" "$target"
  done
  "$trainplan" emit snakemake --set "$set" --output "$work/text" -- "$name"   # its texts are those of JSON
  mapfile -t texts < <(sed -nE 's/.*lambda wildcards: (".*").*/\1/p' "$work/text" | sed 's/  # texts.*//')
  [[ ${#texts[@]} -eq 2 && $(jq -r . <<<"${texts[0]}") == "${name/#-/./-}" ]] || fail "snakemake: ${texts[*]}"
  bash -c "trainplan $(jq -r . <<<"${texts[1]}")"
  was_given "$set" snakemake
done

for name in "${names[@]}"; do
  folder=${name%.yaml}
  mkdir -p "./$folder"
  cp "$config" "./$folder/"
  printf 'model: {use: %s}\njob: {sequence: 2048, global_batch: 64}\ncluster: {use: dgx-h100, gpus: 16}\n' "$(jq -n --arg use "hf:./$folder" '$use')" >here.yaml
  "$trainplan" export here.yaml --to accelerate --set software.use=deepspeed --set parallelism.zero=3 >"$work/text"
  bash "$work/text"
  was_given "./$folder" accelerate
  "$trainplan" export here.yaml --to megatron-bridge --set software.use=megatron-core --set parallelism.tp=4 --set parallelism.zero=1 >"$work/text"
  [[ $(sed -n 's/^hf_model = //p' "$work/text" | jq -r .) == "./$folder" ]] || fail "megatron-bridge: $folder"
done
[[ -z $(find "$work" -name 'PWNED*') ]] || fail 'a name was run'
