# The job configurations that are imported, and every kind of value.
set -euo pipefail
cp tests/planner/import/torchtitan/*.toml "$1/"
printf 'a.b = 0x1F\n"c" = [1.5, inf, 1979-05-27T07:32:00Z, {d = %s}]\n[[e]]\nf = """\ng"""\n' "'h'" >"$1/values"
printf '%s\n' '"="' '"."' '"[["' '"]]"' '"{"' '"\"\"\""' '"true"' '"nan"' '"\xc3\xa4"' '"\\u00e4"' '"1979-05-27"' >"$2"
