#!/usr/bin/env bash
# The script of bash as bash runs it: what it offers for words that somebody has typed.
# usage: tests/completion_test.sh TRAINPLAN
set -euo pipefail
PATH=$(dirname "$1"):$PATH
source <("$1" completion bash)

# offers WORD... : the completions of the last word.
offers() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  _trainplan
  printf '%s\n' "${COMPREPLY[@]}"
}
expect() {
  local wanted=$1
  shift
  grep -qxF -- "$wanted" <<<"$(offers "$@")" || { printf 'not offered for "%s": %s\n' "$*" "$wanted"; exit 1; }
}
refuse() {
  local other=$1
  shift
  if grep -qxF -- "$other" <<<"$(offers "$@")"; then printf 'offered for "%s": %s\n' "$*" "$other"; exit 1; fi
}

expect search trainplan se
refuse plan trainplan se
expect --sensitivity trainplan search --se
refuse --sensitivity trainplan plan --
expect json trainplan plan --format j
refuse --format trainplan plan --format ""
expect best trainplan plan --pick ""
expect dgx-h100 trainplan show dgx
expect llama3-8b trainplan init llama
expect zsh trainplan completion ""
expect dgx-h100 trainplan clusters --on dgx
expect dgx-a100-40gb,dgx-h100 trainplan clusters --on dgx-a100-40gb,dgx-h
expect h100-sxm-80gb trainplan replay --on h100
expect flop-vs-bw trainplan seqpoint --on ""
expect job.global_batch= trainplan plan --set job.glo
expect cluster.network[0].bandwidth= trainplan plan --set cluster.net
expect full trainplan plan --set parallelism.recompute = f
refuse dgx-h100 trainplan plan --prices ""
refuse llama3-8b trainplan list --top ""
echo "completion of bash: all as expected"
