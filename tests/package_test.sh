#!/usr/bin/env bash
# The Debian package holds what an installation holds and depends on nothing; the program in it is one static file that
# plans in a root where nothing else is.
# usage: tests/package_test.sh SOURCE_DIR BUILD_DIR; exit status 77: there is no dpkg-deb
set -euo pipefail
source=$1 build=$2
command -v dpkg-deb >/dev/null || { echo 'no dpkg-deb: skipped'; exit 77; }
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

(cd "$build" && cpack -B "$root/made" >"$root/log" 2>&1) || { cat "$root/log"; exit 1; }
package=$(echo "$root"/made/*.deb)
[[ $(dpkg-deb -f "$package" Package) == trainplan && -z $(dpkg-deb -f "$package" Depends) ]] ||
  { echo 'the package has another name, or depends on something:'; dpkg-deb -f "$package"; exit 1; }
dpkg-deb -x "$package" "$root/bare"
program=$root/bare/usr/bin/trainplan
cmake --install "$build" --prefix "$root/installed" >/dev/null
diff <(cd "$root/installed" && find . -type f | LC_ALL=C sort) <(cd "$root/bare/usr" && find . -type f | LC_ALL=C sort) ||
  { echo 'the package holds other files than an installation'; exit 1; }

if grep -qaE 'ld-linux|libc\.so\.6' <(head -c 65536 "$program"); then echo 'the program needs a dynamic linker'; exit 1; fi
cp "$source/scenarios/gpt3-175b.yaml" "$root/bare/my.yaml"
in_root() { unshare --map-root-user --root="$root/bare" /usr/bin/trainplan "$@" 2>/dev/null || chroot "$root/bare" /usr/bin/trainplan "$@"; }
in_root --version >/dev/null || { echo 'no name space and no chroot here: the program ran outside'; exec "$program" --version; }
diff <(in_root plan /my.yaml) <(cd "$root/bare" && "$program" plan my.yaml)
[[ -n $(in_root plan /my.yaml) ]] || { echo 'the program printed no plan in an empty root'; exit 1; }
