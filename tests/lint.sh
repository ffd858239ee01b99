#!/usr/bin/env bash
# Checks that no compiler makes: length of functions and files, paths of a developer's machine,
# dead links, weight of the tests. usage: tests/lint.sh [SOURCE_DIR]
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"

most_function=60    # lines
most_file=400
least_tests=0.7     # lines of tests over lines of source
# Files that may be longer, each with its reason.
long_files=()

problems=0
complain() { printf 'lint: %s\n' "$1"; problems=$((problems + 1)); }
files() { git ls-files --cached --others --exclude-standard -- "$@" | while IFS= read -r f; do [[ ! -f $f ]] || echo "$f"; done; }
sources() { files '*.h' '*.cc'; }
lines() { { grep -E "$1" || true; } | tr '\n' '\0' | xargs -0 -r cat | wc -l; }

function_lengths() {
  sources | ctags -L - --languages=C++ --langmap=C++:.h.cc --kinds-C++=f --fields=+ne --output-format=u-ctags -f - |
    awk -F'\t' '!/^!/ {
      first = last = 0
      for (i = 4; i <= NF; ++i) {
        if ($i ~ /^line:/) first = substr($i, 6)
        if ($i ~ /^end:/) last = substr($i, 5)
      }
      print last - first + 1, $2 ":" first, $1
    }'
}

if command -v ctags >/dev/null; then
  while read -r length place name; do
    [[ $length -le $most_function ]] || complain "$place: $name has $length lines, at most $most_function"
  done < <(function_lengths)
else
  echo 'lint: no ctags here: the length of functions is not checked'
fi

while IFS= read -r file; do
  length=$(wc -l <"$file")
  [[ $length -le $most_file || " ${long_files[*]} " == *" $file "* ]] ||
    complain "$file has $length lines: split it (at most $most_file), or list it in tests/lint.sh with a reason"
done < <(sources)

while IFS= read -r place; do
  complain "$place: a path of one machine"
done < <(files . | tr '\n' '\0' | xargs -0 grep -nIE '(^|[^[:alnum:]_.}*-])/(work|home|Users)/[[:alnum:].]' /dev/null | cut -c 1-120 || true)

# Type names are unique within the program. The limit is the value reached so far.
most_shared_names=72
shared=$(sources | { grep -v '^tests/' || true; } | tr '\n' '\0' |
  xargs -0 grep -hoE '^ *(template <[^>]*> )?(struct|class|enum class|enum) [A-Z][A-Za-z0-9]+( final)?( :[^;{]*)? *\{' |
  sed -E 's/.*(struct|class|enum) ([A-Z][A-Za-z0-9]+).*/\2/' | sort | uniq -c |
  awk '$1 > 1 { all += $1; if ($1 > 4) names = names " " $2 } END { print all + 0 names }')
[[ ${shared%% *} -le $most_shared_names ]] ||
  complain "${shared%% *} types share their names with others, at most $most_shared_names (most of all${shared#"${shared%% *}"}): give the new one a name of its own"

# Paths in pages, comments and seeds of fuzz targets exist, except those of adding.md, which its reader adds.
while IFS=: read -r file line path; do
  [[ -e $path || $path == *NAME* || $path == */.../* ]] || complain "$file:$line: there is no $path"
done < <({ files 'docs/*.md' README.md ':!docs/adding.md' | tr '\n' '\0' | xargs -0 grep -noE '`(cli|dsl|hw_profiles|operator_models|planner|scenarios|tests|cmake)/[A-Za-z0-9_./-]+\.(cc|h|sh|py|yaml|csv|tsv|jq|awk|cmake)`' /dev/null | tr -d '`'
  sources | tr '\n' '\0' | xargs -0 grep -noE '// .*' /dev/null | grep -oE '^[^:]+:[0-9]+:|\b(cli|dsl|hw_profiles|operator_models|planner|scenarios|tests)/[A-Za-z0-9_/-]+\.(cc|h|sh|py|yaml|csv)\b' |
    awk '/:$/ { at = $0; next } { print at $0 }'
  files 'tests/fuzz/seeds/*.sh' | tr '\n' '\0' |
    xargs -0 grep -noE '(^|[ "])(cli|dsl|hw_profiles|operator_models|planner|scenarios|tests)/[A-Za-z0-9_/-]+\.(cc|h|sh|py|yaml|csv)\b' /dev/null |
    sed -E 's/(:[0-9]+:)[ "]/\1/'; } | sort -u)

# In C++20 only the outermost temporary of a range lives as long as the loop: one of which an element is taken, or whose
# method is called, does not.
while IFS= read -r place; do
  complain "$place: the loop is over a part of a temporary: name it first"
done < <(sources | tr '\n' '\0' | xargs -0 grep -nE 'for \(.* : [A-Za-z_:]+\(([^()]|\([^()]*\))*\)(\[|\.[a-z_]+\()' /dev/null | cut -c 1-120 || true)

# Names are for people: no pass or study knows an operator, a weight or a kept tensor by its name, but by its role
# (planner/workload/role.h). Searched: comparisons with literals of a sublayer's names, and prefixes of any name.
while IFS= read -r place; do
  complain "$place: compares the name of an operator or tensor: ask for its role"
done < <(files 'planner/workload/*' 'planner/plan/*' 'planner/studies/comm/*' 'planner/export/*' | tr '\n' '\0' |
  xargs -0 grep -nE '(==|!=) *"(attention|mlp|experts|shared|head|router|embedding|prediction|layer)\.|\b(w|op|work|weight|saved|tensor|ops\[i\])(\.|->)name(\.(starts_with|ends_with|find|contains)\(| *(==|!=))|&(WorkOp|Saved|Weight)::name' /dev/null || true)

while IFS=: read -r page target; do
  [[ -e $(dirname "$page")/$target ]] || complain "$page links to $target, which is not there"
done < <(files '*.md' | xargs -r grep -oE '\]\([a-z._/-]+[)#]' /dev/null | sed 's/](//; s/[)#]$//' || true)

while IFS= read -r file; do
  [[ $(wc -l <"$file") -le 12 ]] || complain "$file: a question is asked in at most 12 lines"
done < <(files 'scenarios/questions/*')

while IFS= read -r page; do
  grep -qE ": ${page#docs/}\$" mkdocs.yml || complain "$page is in no menu of mkdocs.yml"
done < <(files 'docs/*.md')

source_lines=$(sources | lines '^(dsl|hw_profiles|operator_models|planner|cli)/')
test_lines=$(sources | lines '^tests/')
ratio=$(awk -v t="$test_lines" -v s="$source_lines" 'BEGIN { printf "%.2f", s ? t / s : 0 }')
printf 'lint: source %s lines, tests %s lines, ratio %s\n' "$source_lines" "$test_lines" "$ratio"
awk -v r="$ratio" -v least="$least_tests" 'BEGIN { exit !(r >= least) }' ||
  complain "tests are $ratio of the source lines, at least $least_tests wanted"

[[ $problems -eq 0 ]] || { printf 'lint: %d problems\n' "$problems"; exit 1; }
