#!/usr/bin/env bash
# Every program that a test runs is there where ./dev has installed its packages: it belongs to one of them, to a package
# that one of them needs, or to every Debian. A test that asks `command -v PROGRAM` first may do without.
# usage: tests/packages_test.sh SOURCE_DIR; exit status 77: this is no Debian
set -euo pipefail
cd "$1"
command -v dpkg-query >/dev/null || { echo 'no dpkg: skipped'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The scripts of tests/CMakeLists.txt, and those that they run or source.
scripts() {
  local -a found
  mapfile -t found < <(grep -oE '[a-z_]+\.sh' tests/CMakeLists.txt | sort -u | sed 's|^|tests/|')
  printf '%s\n' "${found[@]}"
  sed -E 's/^[[:space:]]*#.*//' "${found[@]}" | grep -oE 'tests/[a-z_/]+\.sh' | sort -u | while IFS= read -r script; do
    [[ ! -f $script ]] || printf '%s\n' "$script"
  done
}

# A script without comments, texts of <<, and single-quoted text.
code() {
  awk '
    here { if ($0 == here) here = ""; next }
    /^[[:space:]]*#/ { next }
    { text = text $0 "\n" }
    match($0, /<<-?.?[A-Z]+/) { here = substr($0, RSTART, RLENGTH); gsub(/[^A-Z]/, "", here) }
    END {
      for (i = 1; i <= length(text); ++i) {
        c = substr(text, i, 1)
        if (quote == "\047") { if (c == quote) quote = ""; else if (c == "\n") printf "\n"; continue }
        if (c == "\\") { ++i; continue }
        if (c == "\"") quote = quote == c ? "" : c
        else if (c == "\047" && quote == "") { quote = c; continue }
        printf "%s", c
      }
    }' "$1"
}

# Words where a command stands: at the begin, behind what ends or begins one, behind what runs another.
words() {
  grep -oE '(^|[|;&({!`]|\$\(|(^|[[:space:]])(do|then|else|elif|if|while|until|exec|xargs( -[^[:space:]]+)*|env))[[:space:]]*[a-z][a-z0-9_.+-]*([[:space:];|&)]|$)' |
    sed -E 's/[[:space:];|&)]$//' | grep -oE '[a-z][a-z0-9_.+-]*$' | sort -u
}

# Packages that are installed with those of ./dev's lists, and those of every Debian.
packages() {
  local lists
  lists=$(sed -nE '/^(program|test)_packages=\(/,/\)/p' dev | tr -d '()' | sed -E 's/^[a-z]+_packages=//')
  dpkg-query -W -f '${Package}\t${Essential}\t${Priority}\t${Pre-Depends}, ${Depends}, ${Provides}\n' |
    awk -F'\t' -v lists="$lists" '
      { needs[$1] = $4; if ($2 == "yes" || $3 == "required") start[$1] }
      function add(name,  parts, n, i, one) {
        if (name in there || !(name in needs)) return
        there[name]
        n = split(needs[name], parts, /[,|] */)
        for (i = 1; i <= n; ++i) { one = parts[i]; sub(/[ :(].*/, "", one); add(one) }
      }
      END {
        n = split(lists, wanted, /[ \n]+/)
        for (i = 1; i <= n; ++i) add(wanted[i])
        for (name in start) add(name)
        for (name in there) print name
      }' | sort
}

# Packages by the programs that they install: one look at their lists, where `dpkg-query -S` reads all of them a program.
declare -A owner
while IFS=: read -r list file; do
  list=${list##*/} list=${list%.list}
  owner[$file]=${list%%:*}
done < <(grep -HE '/s?bin/[^/]+$' /var/lib/dpkg/info/*.list | sed -E 's/^([^:]*):[a-z0-9]+\.list:/\1.list:/')

# package_of PATH: also through links, of alternatives or of /bin.
package_of() {
  local file
  for file in "$1" "${1#/usr}" "$(realpath "$1")" "$(realpath "$1" | sed 's|^/usr||')"; do
    [[ -z ${owner[$file]:-} ]] || { printf '%s\n' "${owner[$file]}" && return; }
  done
  return 1
}

packages >"$work/packages"
while IFS= read -r script; do
  code "$script" >"$work/code"
  while IFS= read -r word; do
    [[ $(type -t "$word") == file ]] || continue
    grep -qE "command -v $word\b" "$script" || grep -qE "^ *$word *\(\)" "$work/code" || printf '%s %s\n' "$word" "$script"
  done < <(words <"$work/code")
done < <(scripts | sort -u) | sort >"$work/runs"
[[ $(wc -l <"$work/packages") -gt 50 && $(wc -l <"$work/runs") -gt 50 ]] || { echo 'no packages, or no commands'; exit 1; }
problems=0
for word in $(cut -d ' ' -f 1 "$work/runs" | sort -u); do
  package=$(package_of "$(type -P "$word")") || package='no package'
  grep -qxF "$package" "$work/packages" && continue
  printf '%s, of %s, is in no list of ./dev: %s\n' "$word" "$package" "$(sed -n "s/^$word //p" "$work/runs" | paste -sd ' ')"
  problems=$((problems + 1))
done

# A user without the right to install is told what to install, once, and nothing is tried.
mkdir "$work/bin"
printf '#!/bin/sh\nexit 1\n' >"$work/bin/sudo"
printf '#!/bin/sh\necho not-installed\n' >"$work/bin/dpkg-query"
printf '#!/bin/sh\necho "apt-get was tried"\n' >"$work/bin/apt-get"
chmod 755 "$work" "$work/bin" "$work"/bin/*
as_nobody=()
[[ $EUID -ne 0 ]] || as_nobody=(setpriv --reuid=65534 --clear-groups)
cp dev "$work/dev" && chmod 755 "$work/dev"
status=0
PATH=$work/bin:$PATH "${as_nobody[@]}" "$work/dev" plan a.yaml </dev/null >"$work/said" 2>&1 || status=$?
if [[ $status -ne 1 ]] || grep -q tried "$work/said" || ! grep -q 'as root: apt-get install .*g++ cmake ' "$work/said"; then
  echo "without root, ./dev ends with $status:" && cat "$work/said" && exit 1
fi
[[ $problems -eq 0 ]]
