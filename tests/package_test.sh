#!/usr/bin/env bash
# The Debian package holds what an installation holds, and what Debian asks for: compressed manual pages, the completion
# of zsh among those of packages, licenses and a changelog. It depends on nothing; the program in it is one static file
# that plans in a root where nothing else is. Made twice it has the same bytes.
# usage: tests/package_test.sh SOURCE_DIR BUILD_DIR; exit status 77: there is no dpkg-deb
set -euo pipefail
source=$1 build=$2
command -v dpkg-deb >/dev/null || { echo 'no dpkg-deb: skipped'; exit 77; }
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

export SOURCE_DATE_EPOCH=86400
for made in again made; do
  (cd "$build" && cpack -B "$root/$made" >"$root/log" 2>&1) || { cat "$root/log"; exit 1; }
done
package=$(echo "$root"/made/*.deb)
cmp "$package" "$root"/again/*.deb || { echo 'two packages of one program differ'; exit 1; }
[[ $(dpkg-deb -f "$package" Package) == trainplan && -z $(dpkg-deb -f "$package" Depends) ]] ||
  { echo 'the package has another name, or depends on something:'; dpkg-deb -f "$package"; exit 1; }
dpkg-deb -x "$package" "$root/bare"
program=$root/bare/usr/bin/trainplan
cmake --install "$build" --prefix "$root/installed" >/dev/null
documents=$root/bare/usr/share/doc/trainplan
diff <(cd "$root/installed" && { find . -type f; printf './share/doc/trainplan/%s\n' README.md changelog copyright; } |
  sed 's|zsh/site-functions|zsh/vendor-completions|' | LC_ALL=C sort) \
  <(cd "$root/bare/usr" && find . -type f | sed 's|\.gz$||' | LC_ALL=C sort) ||
  { echo 'the package holds other files than an installation and the documents of Debian'; exit 1; }
"$source/tests/completions_load.sh" "$root/bare/usr" vendor-completions

# Every page unpacks to what the program prints, and man shows it.
pages=0
for page in "$root"/bare/usr/share/man/man1/*.1.gz; do
  name=$(basename "$page" .1.gz) command=${name#trainplan} command=${command#-}
  cmp <(gzip -dc "$page") <("$program" man ${command:+"$command"}) || { echo "another page of $name"; exit 1; }
  pages=$((pages + 1))
done
[[ $pages -eq $(($("$program" __complete | wc -l) + 1)) ]] || { echo "only $pages manual pages"; exit 1; }
if command -v man >/dev/null; then
  man --warnings -l "$root/bare/usr/share/man/man1/trainplan-plan.1.gz" 2>"$root/log" | grep TRAINPLAN >/dev/null && [[ ! -s $root/log ]] ||
    { echo 'man does not show trainplan-plan'; cat "$root/log"; exit 1; }
fi
gzip -dc "$documents/changelog.gz" | head -n 1 | grep -qx "trainplan ($(dpkg-deb -f "$package" Version)) unstable; urgency=medium" ||
  { echo 'the changelog is not that of this version'; exit 1; }
cmp "$source/packaging/copyright" "$documents/copyright"
# Each license that is named is described.
diff <(sed -nE '/^License:/!d; s/^License: //p' "$documents/copyright" | LC_ALL=C sort -u) \
  <(awk -v RS= '/^License:/ { sub(/\n.*/, ""); sub(/^License: /, ""); print }' "$documents/copyright" | LC_ALL=C sort -u) ||
  { echo 'the copyright names a license that it does not describe'; exit 1; }

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
