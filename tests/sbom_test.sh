#!/usr/bin/env bash
# The bill of materials names every library whose headers the program's objects were compiled with, each with a license; the
# same binary gives the same bytes; and a library without a license ends it.
# usage: tests/sbom_test.sh SOURCE_DIR BUILD_DIR; exit status 77: this is no Debian, or there is no python3.
set -euo pipefail
command -v dpkg-query >/dev/null || { echo 'no dpkg: skipped'; exit 77; }
command -v python3 >/dev/null || { echo 'no python3: skipped'; exit 77; }
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

packages=$(sed -nE '/^program_packages=\(/,/\)/p' "$source/dev" | tr -d '()\n' | sed 's/^program_packages=//')
bill() { python3 -B "$source/packaging/sbom.py" 1.2.3 86400 "$1" "$build/cli/trainplan" g++ ''; }
bill "$packages" >"$work/bill.json"
bill "$packages" | cmp - "$work/bill.json" || { echo 'two bills of one binary differ'; exit 1; }
jq -e '.spdxVersion == "SPDX-2.3" and .creationInfo.created == "1970-01-02T00:00:00Z" and
  ([.packages[] | select(.licenseDeclared == "" or .versionInfo == "" or (.externalRefs[0].referenceLocator | startswith("pkg:") | not))] == []) and
  ([.relationships[] | select(.relationshipType == "STATIC_LINK") | .relatedSpdxElement] | sort) ==
    ([.packages[1:][].SPDXID] | sort)' "$work/bill.json" >/dev/null || { echo 'the bill lacks a field'; cat "$work/bill.json"; exit 1; }
digest=$(sha256sum "$build/cli/trainplan" | cut -d ' ' -f 1)
jq -e --arg digest "$digest" '.packages[0].checksums[0].checksumValue == $digest' "$work/bill.json" >/dev/null ||
  { echo 'the bill is of another binary'; exit 1; }

# Who owns the headers that were read, by one look at dpkg's lists. Of the kernel's headers only numbers are taken.
ninja -C "$build" -t deps | awk '/^[^ ]/ { of_program = /^(cli|planner|dsl|hw_profiles|operator_models|CMakeFiles)\// } of_program && /^ +\/usr\// { print $1 }' |
  LC_ALL=C sort -u | xargs realpath | LC_ALL=C sort -u >"$work/headers"
awk 'NR == FNR { read[$0]; next } $0 in read { print FILENAME }' "$work/headers" /var/lib/dpkg/info/*.list |
  sed -E 's|.*/||; s/\.list$//; s/:.*//' | grep -v '^linux-libc-dev$' | LC_ALL=C sort -u >"$work/owners"
jq -r '.packages[1:][].name' "$work/bill.json" | LC_ALL=C sort -u >"$work/named"
[[ $(wc -l <"$work/headers") -gt 300 ]] || { echo 'no headers were found'; exit 1; }
unnamed=$(LC_ALL=C comm -23 "$work/owners" "$work/named")
[[ -z $unnamed ]] || { printf 'compiled in, and in no bill:\n%s\n' "$unnamed"; exit 1; }

if bill "$packages libc6-dev libcrypt-dev" >/dev/null 2>"$work/said" || ! grep -qx 'packaging/copyright has no license of libcrypt-dev' "$work/said"; then
  echo 'a library without a license was taken:' && cat "$work/said" && exit 1
fi
