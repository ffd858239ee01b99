#!/usr/bin/env bash
# Makes the wheel twice, installs it without an index into an empty environment, and runs tests/python there.
# usage: tests/wheel_test.sh SOURCE_DIR TRAINPLAN; exit status 77: there is no python3 with venv.
set -euo pipefail
command -v python3 >/dev/null || { echo 'no python3: skipped'; exit 77; }
python3 -c 'import ensurepip, venv' 2>/dev/null || { echo 'no python3 with venv: skipped'; exit 77; }
source=$(realpath "$1") program=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export PYTHONDONTWRITEBYTECODE=1  # nothing beside the sources
for folder in a b; do
  mkdir "$folder"
  python3 "$source/python/packaging/wheel.py" "$program" "$folder" >"$folder.name"
done
wheel=$(<a.name)
cmp "$wheel" "$(<b.name)" || { printf 'two wheels of one binary differ\n'; exit 1; }
python3 -m venv env
env/bin/python -m pip install --quiet --no-index --disable-pip-version-check "$wheel"
[[ $(env/bin/trainplan --version) == "$("$program" --version)" ]] || { printf 'the command is another\n'; exit 1; }
TRAINPLAN_PAGE=$source/docs/python.md env/bin/python -W error::SyntaxWarning "$source/tests/python/test_trainplan.py"
# pip refuses another platform by the name of the wheel.
other=$(basename "$wheel" | sed "s/$(uname -m)/riscv64/g")
cp "$wheel" "$other"
if env/bin/python -m pip install --quiet --no-index --disable-pip-version-check --force-reinstall "$other" 2>said; then
  printf 'pip took a wheel of another platform\n' && exit 1
fi
grep -q 'not a supported wheel on this platform' said || { cat said && exit 1; }
