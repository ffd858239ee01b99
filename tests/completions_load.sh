#!/usr/bin/env bash
# The completions of bash, zsh and fish below PREFIX are found and offer commands, each where its shell is installed.
# usage: tests/completions_load.sh PREFIX ZSH_FOLDER    PREFIX: has bin/ and share/; ZSH_FOLDER: where zsh looks, below share/zsh/
set -euo pipefail
prefix=$(realpath "$1") zsh=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH=$prefix/bin:$PATH HOME=$work
fail() { printf 'completions below %s: %s\n' "$prefix" "$1"; exit 1; }

script=$prefix/share/bash-completion/completions/trainplan
bash -n "$script"
bash -euc 'source "$1"; COMP_WORDS=(trainplan pl) COMP_CWORD=1; _trainplan; [[ " ${COMPREPLY[*]} " == *" plan "* ]]' bash "$script" ||
  fail 'bash offers no plan'

[[ -s $prefix/share/zsh/$zsh/_trainplan ]] || fail "no zsh/$zsh/_trainplan"
if command -v zsh >/dev/null; then
  zsh -fc 'fpath=($1 $fpath); autoload -Uz compinit; compinit -u -d $2; [[ ${_comps[trainplan]-} == _trainplan ]] && autoload +X _trainplan' \
    zsh "$prefix/share/zsh/$zsh" "$work/dump" || fail 'zsh does not find _trainplan'
fi

[[ -s $prefix/share/fish/vendor_completions.d/trainplan.fish ]] || fail 'no completion of fish'
if command -v fish >/dev/null; then
  fish --no-config -c "set fish_complete_path \$argv[1]; complete -C 'trainplan pl'" "$prefix/share/fish/vendor_completions.d" |
    grep '^plan\b' >/dev/null || fail 'fish offers no plan'
fi
