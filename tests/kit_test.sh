#!/usr/bin/env bash
# The planning half of the measurement kit: syntax, rows, tables, going on after an interruption; and that `calibrate`
# makes a profile of every table. Exits 77 (skipped) without python3. usage: tests/kit_test.sh SOURCE_DIR TRAINPLAN
set -euo pipefail
kit=$1/operator_models/kit trainplan=$2
command -v python3 >/dev/null || { echo 'kit: no python3 here, skipped'; exit 77; }
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
export PYTHONDONTWRITEBYTECODE=1
unset WORLD_SIZE LOCAL_WORLD_SIZE
fail() { printf 'kit: %s\n' "$1"; exit 1; }
measure() { python3 "$kit/measure.py" "$@"; }

# All files parse, and lines keep to the width of the kit.
for file in "$kit"/*.py; do
  python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read(), sys.argv[1])' "$file" || fail "$file: syntax"
  ! grep -nE '.{100}' "$file" || fail "$file: a line of more than 99 characters"
done

# PyTorch is not imported for lists and pretended times: this one ends the run.
mkdir "$root/no-torch"
echo 'raise SystemExit("torch was imported")' >"$root/no-torch/torch.py"
export PYTHONPATH=$root/no-torch

measure --list >"$root/list" || fail '--list failed'
measure --list | cmp - "$root/list" || fail '--list is not the same twice'
[[ -z $(sort "$root/list" | uniq -d) ]] || fail 'a row is listed twice'
for kind in gemm attention vector lookup sustained lstm encoder; do
  grep -q "^$kind," "$root/list" || fail "no rows of $kind"
done
! grep -q '^collective,' "$root/list" || fail 'collectives of a single rank'
shapes=$(grep -cE '^gemm,1,[0-9]+,[0-9]+,[0-9]+,bf16,NN,0$' "$root/list")
[[ $shapes -ge 400 ]] || fail "$shapes shapes of GEMM, at least 400 wanted"
[[ $(measure --list --only gemm | cut -d, -f1 | sort -u) == gemm ]] || fail '--only lists other tables'
! measure --list --only gem >"$root/out" 2>&1 || fail 'a table that does not exist is accepted'
grep -q 'no table gem' "$root/out" || fail 'no word on the table that does not exist'

# What --precision and --minutes choose from the list; several at once stay beside the same alone.
[[ $(measure --list --only gemm --precision fp8,tf32 | cut -d, -f6 | sort -u | xargs) == 'fp8 tf32' ]] || fail '--precision lists others'
cmp <(measure --list --minutes 1 | sort) <(sort "$root/list") || fail '--minutes lists other rows'
measure --list --only concurrency --minutes 1 >"$root/spread"
shapes=$(head -17 "$root/spread" | cut -d, -f3-5 | while read -r row; do tr , '\n' <<<"$row" | sort -n | xargs; done | sort -u)
[[ $(wc -l <<<"$shapes") -eq 1 ]] || fail "times of several come without those of each alone: $shapes"
measure --list --only concurrency >"$root/in-order"
! cmp -s "$root/spread" "$root/in-order" || fail '--minutes leaves part of the grid to the end'

# Tables have their columns, a row for each in the list, and positive times.
pretend() { WORLD_SIZE=16 LOCAL_WORLD_SIZE=8 measure --pretend --quick --out "$root/out-dir" 2>/dev/null; }
rm -f "$root/out"
pretend || fail '--pretend failed'
check_table() {
  local file=$root/out-dir/$1.csv planned
  [[ $(head -n 1 "$file") == "$2" ]] || fail "$1.csv has the columns $(head -n 1 "$file")"
  planned=$(WORLD_SIZE=16 LOCAL_WORLD_SIZE=8 measure --list --quick --only "$1" | wc -l)
  [[ $(wc -l <"$file") -eq $((planned + 1)) && $planned -gt 0 ]] || fail "$1.csv does not hold the $planned rows listed"
  awk -F, 'NR > 1 && !($NF > 0) { exit 1 }' "$file" || fail "$1.csv has a time that is not positive"
}
check_table gemm batch,m,n,k,precision,layout,accumulate,time_us
check_table concurrency batch,m,n,k,precision,layout,at_once,time_us
check_table attention kernel,batch,heads,kv_heads,queries,keys,head_dim,causal,backward,precision,time_us
check_table vector op,rows,columns,precision,backward,read_bytes,written_bytes,time_us
check_table lookup kernel,table_rows,dim,samples,pooling,precision,backward,time_us
check_table collective op,ranks,gpus_per_node,size_bytes,precision,time_us
check_table sustained batch,m,n,k,precision,layout,accumulate,second,time_us
check_table lstm length,time_us
check_table encoder length,time_us
[[ $(measure --list --only lstm | wc -l) -eq 40 ]] || fail 'an LSTM is not measured at 40 lengths'
grep -q '^pretend,' "$root/out-dir/kit_info.csv" || fail 'pretended times are not marked'

# Every table becomes a profile, and its times stay close to what it was fitted to.
calibrated() { # KIND FLAGS...
  "$trainplan" calibrate "$1" "$root/out-dir/$1.csv" --gpu h100-sxm-80gb "${@:2}" --quiet >"$root/profile.yaml" 2>"$root/err" ||
    { cat "$root/err"; fail "calibrate $1 refuses the table"; }
  grep -q '^extends: h100-sxm$' "$root/profile.yaml" || fail "calibrate $1 printed no profile"
}
calibrated gemm --model wave --where 'precision == "bf16"'
calibrated concurrency
calibrated attention --kernel flash2
calibrated vector
calibrated lookup
calibrated collective --cluster dgx-h100

# Iterations are a log of seqpoint, and the truth of another.
"$trainplan" seqpoint "$root/out-dir/encoder.csv" --truth "$root/out-dir/lstm.csv" >"$root/seqpoint" 2>&1 ||
  { cat "$root/seqpoint"; fail 'seqpoint refuses a log of the kit'; }
grep -q '^truth ' "$root/seqpoint" || fail 'seqpoint does not judge by a log of the kit'

# An interrupted run goes on behind the last whole line.
cp "$root/out-dir/gemm.csv" "$root/whole.csv"
head -c 1000 "$root/whole.csv" >"$root/out-dir/gemm.csv"
pretend || fail 'a second run failed'
cmp "$root/whole.csv" "$root/out-dir/gemm.csv" || fail 'a run that goes on gives another table'
[[ $(wc -l <"$root/out-dir/kit_info.csv") -eq 3 ]] || fail 'the second run is not noted'

# Times of a machine are not mixed with others, nor a table with other columns continued.
sed -i 's/^pretend,/cuda,/' "$root/out-dir/kit_info.csv"
! pretend || fail 'pretended times beside measured ones'
rm "$root/out-dir/kit_info.csv"
sed -i '1s/batch/b/' "$root/out-dir/gemm.csv"
! pretend || fail 'a table with other columns is continued'
echo 'kit: lists, tables and going on are as they should be'
