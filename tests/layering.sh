#!/usr/bin/env bash
# The folders' one straight line, the order of the rooms in planner/ and cli/, and third-party headers only where
# docs/architecture.md allows them.
# usage: tests/layering.sh [SOURCE_DIR]
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"

folders=(dsl hw_profiles operator_models planner cli)
problems=0
complain() { printf 'layering: %s\n' "$1"; problems=$((problems + 1)); }

# Lines FILE:LINE:TEXT of folder $1's includes that match $2.
includes() { grep -rnE --include='*.h' --include='*.cc' "^[[:space:]]*#[[:space:]]*include[[:space:]]*$2" "$1" || true; }

# A folder includes itself and the folders to its left, by names that start with the folder.
left=''
for folder in "${folders[@]}"; do
  left+="${left:+|}$folder"
  while IFS= read -r line; do
    [[ -z $line ]] || complain "$line: $folder may include only ${left//|/, }"
  done < <(includes "$folder" '"' | grep -vE "include[[:space:]]*\"($left)/" || true)
done

# check_rooms FOLDER ROOM...: a room of the folder includes itself and those before it in the list, and every file is in
# a room but main.cc, which is the program.
check_rooms() {
  local folder=$1 above='' room file line
  shift
  for room in "$@"; do
    above+="${above:+|}$room"
    [[ -d $folder/$room ]] || continue
    while IFS= read -r line; do
      [[ -z $line ]] || complain "$line: $folder/$room may include only the rooms ${above//|/, }"
    done < <(includes "$folder/$room" "\"$folder/" | grep -vE "include[[:space:]]*\"$folder/($above)/" || true)
  done
  for file in "$folder"/*; do
    room=${file#"$folder"/}
    [[ $file == cli/main.cc || " CMakeLists.txt $* " == *" $room "* ]] || complain "$file is in no room: $*"
  done
}

# The rooms (docs/architecture.md). A question of studies/ includes no other one at all.
check_rooms planner unpack shell python trace scaling seqpoint scenario schedule workload plan search import resolve export replay tuning tables studies
check_rooms cli args svg report input render pages files serve commands
for study in planner/studies/*/; do
  study=${study%/}
  [[ -d $study ]] || continue
  while IFS= read -r line; do
    [[ -z $line ]] || complain "$line: no study includes another"
  done < <(includes "$study" '"planner/studies/' | grep -vE "include[[:space:]]*\"$study/" || true)
done

# No two files include each other: a header that includes one which includes it back.
while IFS= read -r pair; do
  complain "$pair include each other"
done < <(for folder in "${folders[@]}"; do includes "$folder" '"'; done |
  sed -E 's/^([^:]+):[0-9]+:[^"]*"([^"]+)".*/\1 \2/' |
  awk '{ if (($2 " " $1) in seen) print $2 " and " $1; seen[$1 " " $2] = 1 }')

# A header and its source are one thing: no two of them include each other, directly or in a circle of several. Such a
# circle remains when each thing that includes no other is taken away, again and again.
while IFS= read -r thing; do
  complain "$thing is in a circle of headers and sources that include each other"
done < <(for folder in "${folders[@]}"; do includes "$folder" '"'; done |
  sed -E 's/^([^:]+)\.(h|cc):[0-9]+:[^"]*"([^"]+)\.h".*/\1 \3/' |
  awk '$1 != $2 && !(($1, $2) in seen) { seen[$1, $2]; uses[$1] = uses[$1] " " $2; left[$1]; left[$2] }
    function open(thing,    n, i, used) {
      n = split(uses[thing], used, " ")
      for (i = 1; i <= n; ++i) if (used[i] in left) return 1
      return 0
    }
    END {
      do { gone = 0; for (thing in left) if (!open(thing)) { delete left[thing]; gone = 1 } } while (gone)
      for (thing in left) print thing
    }' | sort)

# Third-party libraries: a header prefix, and the files that may name it (a grep pattern).
# fmt is allowed in every .cc; a header of ours names no third-party header at all.
while read -r prefix allowed most; do
  files=$(includes . "<($prefix)" | grep -vE '^\./(tests|build)/' | cut -d: -f1 | sort -u || true)
  for file in $files; do
    [[ $file =~ ^\./($allowed)$ ]] || complain "${file#./} includes <$prefix...>: allowed in $allowed"
  done
  count=$(wc -w <<<"$files")
  [[ $count -le $most ]] || complain "<$prefix...> is included by $count files, at most $most: ${files//$'\n'/ }"
done <<'TABLE'
yaml-cpp/ dsl/[a-z_]+\.cc 1
boost/spirit dsl/[a-z_]+\.cc 1
boost/(asio|beast) cli/serve/[a-z_]+\.cc 1
toml\+\+/ dsl/[a-z_]+\.cc 1
CLI/ cli/args/[a-z_]+\.cc 1
nlohmann/ cli/render/[a-z_]+\.cc 1
Eigen/ operator_models/calibrate/[a-z_]+\.cc 1
fmt/ .+\.cc 999
zlib planner/unpack/[a-z_]+\.cc 1
simdjson|sqlite3 planner/(trace|scaling/read)/[a-z_]+\.cc 9
TABLE

# Includes with <...> are the standard library (no slash, no .h) or in the table above.
while IFS= read -r line; do
  complain "$line: not a header of the standard library or of a library that this project uses"
done < <(for folder in "${folders[@]}"; do includes "$folder" '<'; done |
  grep -vE 'include[[:space:]]*<([a-z_]+|(yaml-cpp|boost/(spirit|asio|beast)|toml\+\+|CLI|nlohmann|Eigen|fmt)/[^>]+|(simdjson|zlib|sqlite3|unistd|poll|fcntl|fnmatch|malloc|sys/[a-z]+)\.h)>' || true)

if [[ $problems -gt 0 ]]; then printf 'layering: %d problems\n' "$problems"; exit 1; fi
echo 'layering: every include follows the line of the folders and rooms'
