#!/usr/bin/env bash
# Runs the README's quick start in a fresh Debian 12 root (debootstrap's minbase and git, nothing else),
# on a copy of the files that git tracks or would add. Needs root, debootstrap, and a Debian mirror.
# usage: tests/bare_root.sh [MIRROR [DIRECTORY]]     DIRECTORY is kept; without one it is a temporary folder
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mirror=${1:-http://deb.debian.org/debian}
root=${2:-$(mktemp -d --tmpdir trainplan-root.XXXXXX)}
if [[ $# -lt 2 ]]; then trap 'rm -rf --one-file-system "$root"' EXIT; fi
say() { printf 'bare root: %s\n' "$*" >&2; }

# The quick start is the first ```sh block of the README: exactly two commands.
mapfile -t commands < <(awk '/^```/ { if (inside) exit; inside = $0 == "```sh"; next } inside && /^[^#]/' README.md)
[[ ${#commands[@]} -eq 2 ]] || { say "expected two commands in the README's quick start, got ${#commands[@]}"; exit 1; }

chmod 755 "$root"   # of a temporary folder nobody but root may enter, and a test runs as somebody else
if [[ ! -e $root/etc/debian_version ]]; then
  say "debootstrap into $root"
  debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1 || { tail "$root.log"; exit 1; }
  rm "$root.log"
fi
cp -L /etc/resolv.conf "$root/etc/resolv.conf"

# Mounts live in a name space of their own and end with the command.
inside() {
  unshare --mount --fork bash -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "${@:1}"' "$root" \
    /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb HOME=/root "$@" </dev/null
}
inside bash -c 'apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -qy install --no-install-recommends git' >/dev/null

say 'copying the sources'
rm -rf "$root/opt/trainplan"
mkdir -p "$root/opt/trainplan"
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' f; do [[ ! -f $f ]] || printf '%s\0' "$f"; done |
  tar -c --null -T - | tar -x --no-same-owner -C "$root/opt/trainplan"

for command in "${commands[@]}"; do
  say "$command"
  SECONDS=0
  inside bash -c "cd /opt/trainplan && $command"
  say "$command: passed in $SECONDS s"
done
