# A server's profile of two workers, whole and cut, and a worker's trace; the words of both as a dictionary.
set -euo pipefail
request() { printf '\t\t{"name": "%s", "ph": "%s", "pid": 7, "tid": 7, "ts": %s}' "$@"; }
server=$'{\n\t"traceEvents": [\n'
server+=$(request push-9 B 100),$'\n'$(request push-9 E 110),$'\n'$(request pull-9 B 120),$'\n'
server+=$(request push-11 B 200),$'\n'$(request push-11 E 240),$'\n'$(request pull-11 B 245),$'\n'
server+=$(request pull-9 E 260),$'\n'$(request pull-11 E 270)
worker='{"traceEvents": [{"ph": "X", "args": {"name": "Comm.t"}, "pid": "Comm.t", "name": "Comm.t.PUSH", "ts": 100,
"dur": 10, "tid": "7", "cat": "Comm"}, {"ph": "X", "name": "Comm.t.PULL", "ts": 120, "dur": 140, "tid": "7"}]}'
printf '0%s' "$server" >"$1/server"
printf '1%s' "${server%?????}" >"$1/cut"
printf '2%s\0%s' "$server" "${server//: 7/: 8}" >"$1/servers"
printf '3%s\0%s' "$worker" "$worker" >"$1/workers"
printf '%s\n' '"push-9"' '"pull-9"' '"push-11"' '"Comm.t.PUSH"' '"Comm.t.PULL"' '"B"' '"E"' '"pid"' '"tid"' '"ts"' >"$2"
