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
cp -r "$source/scenarios" "$root/bare/"
mkdir -p "$root/bare/tests/planner/import"
cp -r "$source/tests/accuracy" "$root/bare/tests/"
cp -r "$source/tests/planner/import/hf" "$root/bare/tests/planner/import/"
enter=(unshare --map-root-user "--root=$root/bare")
"${enter[@]}" /usr/bin/trainplan --version >/dev/null 2>&1 || enter=(chroot "$root/bare")
"${enter[@]}" /usr/bin/trainplan --version >/dev/null 2>&1 ||
  { echo 'no name space and no chroot here: the program ran outside'; exec "$program" --version; }

# The README's tour, except for pipes into other programs, prints the same there as here.
toured=0
while IFS= read -r line; do
  eval "words=(${line#trainplan })"
  diff <("${enter[@]}" /usr/bin/trainplan "${words[@]}" 2>&1; echo "status $?") \
    <(cd "$root/bare" && "$program" "${words[@]}" 2>&1; echo "status $?") >"$root/log" ||
    { echo "in an empty root another answer to: $line"; head -20 "$root/log"; exit 1; }
  toured=$((toured + 1))
done < <(awk '/^```/ { inside = $0 == "```sh"; next } inside && /^trainplan / && !/[|<>]/' "$source/README.md" | sed 's/ *# .*//')
[[ $toured -ge 20 ]] || { echo "only $toured lines of the tour were run"; exit 1; }
echo "package: $toured lines of the README's tour pass in an empty root"
