#!/usr/bin/env bash
# Puts the program into PATH: it is there, or PROGRAM is a binary, a wheel, or the address of a wheel.
set -euo pipefail
if [[ -z $PROGRAM ]]; then
  command -v trainplan >/dev/null || { printf '::error::trainplan is not in PATH: give the input program\n'; exit 1; }
elif [[ $PROGRAM == *.whl ]]; then
  python3 -m venv "$RUNNER_TEMP/trainplan"
  "$RUNNER_TEMP/trainplan/bin/python" -m pip install --quiet --no-deps "$PROGRAM"
  printf '%s\n' "$RUNNER_TEMP/trainplan/bin" >>"$GITHUB_PATH"
else
  mkdir -p "$RUNNER_TEMP/trainplan/bin"
  install -m 755 "$PROGRAM" "$RUNNER_TEMP/trainplan/bin/trainplan"
  printf '%s\n' "$RUNNER_TEMP/trainplan/bin" >>"$GITHUB_PATH"
fi
