#!/usr/bin/env bash
# What `./dev release` made: the sums are right, packages and wheels carry the programs that lie beside them, the bill of
# materials names every library, and the programs of both machines answer alike: the README's tour and the commands below,
# the same bytes and exit status. JSON may differ by 1e-9 of a number: the C libraries' functions may round otherwise.
# usage: tests/release_test.sh SOURCE_DIR FOLDER; exit status 77: there is no dpkg-deb, python3 or jq; without qemu the
# programs are not compared.
set -euo pipefail
for tool in dpkg-deb python3 jq; do command -v "$tool" >/dev/null || { echo "no $tool: skipped"; exit 77; }; done
source=$(realpath "$1") folder=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$folder"
fail() { printf 'release: %s\n' "$*"; exit 1; }

sha256sum --check --quiet --strict SHA256SUMS || fail 'a file is not that of SHA256SUMS'
version=$(basename trainplan-*.spdx.json .spdx.json) version=${version#trainplan-}
for machine in x86_64 aarch64; do
  program=trainplan-$version-linux-$machine
  grep -q "  $program\$" SHA256SUMS || fail "no sum of $program"
  package=trainplan_${version}_$([[ $machine == x86_64 ]] && echo amd64 || echo arm64).deb
  mkdir "$work/$machine"
  dpkg-deb -x "$package" "$work/$machine/deb"
  cmp "$program" "$work/$machine/deb/usr/bin/trainplan" || fail "$package carries another program"
  python3 -m zipfile -e trainplan-"$version"-*_"$machine".whl "$work/$machine/wheel"
  cmp "$program" "$work/$machine/wheel/trainplan/bin/trainplan" || fail "the wheel of $machine carries another program"
  jq -e --arg file "$program" --arg sum "$(sed -n "s/  $program\$//p" SHA256SUMS)" \
    '.packages | any(.packageFileName == $file and .checksums[0].checksumValue == $sum)' "trainplan-$version.spdx.json" >/dev/null ||
    fail "the bill of materials is not that of $program"
done
diff -r "$work"/{x86_64,aarch64}/deb/usr/share || fail 'the Debian packages differ in more than the program'
for name in $(sed -nE '/^program_packages=\(/,/\)/p' "$source/dev" | grep -oE '[a-z0-9.+-]+-dev\b') libstdc++-dev libc6-dev libgcc-dev; do
  jq -e --arg name "^${name%-dev}[0-9.-]*-dev" '.packages | any(.name | gsub("\\+"; "p") | test($name | gsub("\\+"; "p")))' \
    "trainplan-$version.spdx.json" >/dev/null || fail "the bill of materials does not name $name"
done

command -v qemu-aarch64-static >/dev/null || { echo 'release: no qemu-aarch64-static: the programs were not compared'; exit 0; }
commands() {
  awk '/^```/ { inside = $0 == "```sh"; next } inside && sub(/^trainplan /, "") && !/[|<>]/' "$source/README.md" | sed 's/ *# .*//'
  cat <<'TXT'
plan scenarios/gpt3-175b.yaml --format json
plan scenarios/deepseek-v3-h800.yaml --format json
plan scenarios/llama3-70b-h100.yaml --format csv
ops scenarios/gpt3-175b.yaml --format json
comm scenarios/deepseek-v3-h800.yaml --format json
search scenarios/gpt3-175b-search.yaml --format json
roadmap scenarios/gpt3-175b-roadmap.yaml --format json
validate scenarios/studies/pati-4.4.yaml --format json
validate tests/accuracy/runs_small.csv --format json
calibrate gemm tests/accuracy/gemm_fp32_mi100.csv --gpu scenarios/questions/my-gpu.yaml --precision fp32
calibrate steps tests/accuracy/runs_small.csv --where 'group == "llm-foundry-mpt-70b"' --fit cluster.gpu.calibration.gemm.bf16.sustained
replay example:rank0.json example:rank1.json
replay example:rank0.json example:rank1.json --format json
sweep scenarios/gpt3-175b-search.yaml --format csv --top 3
plan no-such-file.yaml
plan scenarios/gpt3-175b.yaml --set parallelism.tp=3
no-such-command
TXT
}
ln -s "$folder/trainplan-$version-linux-x86_64" "$work/x86_64/trainplan"
ln -s "$folder/trainplan-$version-linux-aarch64" "$work/aarch64/trainplan"
alike() {
  python3 - "$@" <<'PY'
import json, math, sys
def same(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if type(a) is float or type(b) is float:
        return math.isclose(a, b, rel_tol=1e-9)
    return a == b
sys.exit(not same(*(json.load(open(name)) for name in sys.argv[1:])))
PY
}
cd "$source"
compared=0 close=0
while IFS= read -r line; do
  declare -a words="($line)"
  status=0 other=0
  "$work/x86_64/trainplan" "${words[@]}" >"$work/a" 2>"$work/a.said" </dev/null || status=$?
  qemu-aarch64-static "$work/aarch64/trainplan" "${words[@]}" >"$work/b" 2>"$work/b.said" </dev/null || other=$?
  [[ $status -eq $other ]] || fail "trainplan $line ends with $status on x86_64, $other on aarch64: $(head -n 3 "$work/b.said")"
  cmp -s "$work/a.said" "$work/b.said" || fail "trainplan $line says something else: $(diff "$work/a.said" "$work/b.said" | head -n 5)"
  compared=$((compared + 1))
  cmp -s "$work/a" "$work/b" && continue
  { [[ $line == *'--format json'* ]] && alike "$work/a" "$work/b"; } ||
    fail "trainplan $line differs: $(diff "$work/a" "$work/b" | head -n 5 | cut -c 1-300)"
  close=$((close + 1))
  printf 'release: trainplan %s: numbers differ by less than 1e-9\n' "$line"
done < <(commands)
[[ $compared -ge 30 ]] || fail "only $compared commands were compared"
echo "release: $compared commands give the same bytes on x86_64 and aarch64, $close of them but for the last digits"
