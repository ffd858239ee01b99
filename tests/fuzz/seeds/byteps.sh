# A server's profile of two workers, whole and cut, a worker's trace, and merged ones of dPRO with servers and with
# all-reduces; their words as a dictionary.
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
# merged PID NAME AT: an event of dPRO's.
merged() {
  printf '{"name": "%s", "ph": "X", "ts": %s, "dur": 10, "pid": "%s", "tid": "operator0", "cat": "operator", ' "$2" "$3" "$1"
  printf '"args": {"step": 0, "loopId": 0, "channelId": 0, "chunkId": 0, "sliceId": 0}}'
}
own() { printf '%s, %s, %s' "$(merged "$1" FW.a 0)" "$(merged "$1" BW.a 10)" "$(merged "$1" UPDATE_0 90)"; }
ring() { printf '%s, %s' "$(merged "$1" 'Comm.1+2.SEND' 30)" "$(merged "$1" 'Comm.1+2.RECV' 35)"; }
whole() { printf '%s, %s' "$(merged "$1" 'Comm.1.NCCL_ALLREDUCE' 30)" "$(merged "$1" 'Comm.1.MEMCPY_IN_FUSION_BUFFER' 20)"; }
exchange() {
  merged "$1::server_0" "Comm.t.PUSH_REQ~>$1::server_0::0" 20
  printf ', %s, ' "$(merged "server_0::$1" "Comm.t.PUSH_RES~>server_0::$1::0" 31)"
  printf '%s, ' "$(merged "$1::server_0" "Comm.t.PULL_REQ~>$1::server_0::0" 42)"
  merged "server_0::$1" "Comm.t.PULL_RES~>server_0::$1::0" 60
}
printf '0{"traceEvents": [%s, %s, %s, %s]}' "$(own traces_0.rank0)" "$(own traces_1.rank0)" "$(exchange worker_0)" \
  "$(exchange worker_1)" >"$1/merged_servers"
printf '1{"traceEvents": [%s, %s, %s, %s]}' "$(own host0.rank0)" "$(own host1.rank0)" "$(ring host0.rank0)" \
  "$(ring host1.rank0)" >"$1/merged_ring"
printf '2{"traceEvents": [%s, %s, %s, %s]}' "$(own host0.rank0)" "$(own host1.rank0)" "$(whole host0.rank0)" \
  "$(whole host1.rank0)" >"$1/merged_whole"
grep -ohE '\{"[A-Za-z_/]+"' planner/trace/dpro_event.cc | sed 's/.*{//' | sort -u >"$2"
printf '%s\n' '"push-9"' '"pull-9"' '"push-11"' '"Comm.t.PUSH"' '"Comm.t.PULL"' '"B"' '"E"' '"pid"' '"tid"' '"ts"' \
  '"host0.rank0"' '"worker_0::server_0"' '"server_0_t1"' '"step"' >>"$2"
