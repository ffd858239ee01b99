# The commands that the documentation shows, and the help of each command.
set -euo pipefail
count=0
{
  grep -rhoE '^(\$ )?trainplan [^|>]*' docs README.md | sed -E 's/^(\$ )?trainplan //'
  sed -nE 's/.*\{\.name = "([a-z]+)",$/\1 --help/p' cli/commands/*.cc
} | sort -u | while IFS= read -r line; do
  count=$((count + 1))
  xargs printf '%s\n' <<<"${line//\\/}" >"$1/$count" 2>/dev/null || rm -f "$1/$count"
done
