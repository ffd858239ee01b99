# Execution traces of both schemas of PyTorch and of Chakra, whole, packed, beside events; the words of the reader as a
# dictionary.
set -euo pipefail
tensor='[7, 8, 0, 3, 4, "cpu"]'
members='{"schema": "1.0.1", "pid": 9, "nodes": [
{"name": "root", "id": 1, "parent": 1, "rf_id": 0, "seq_id": -1, "scope": 7, "tid": 1, "fw_tid": 0},
{"name": "mm", "id": 2, "parent": 1, "seq_id": 5, "tid": 1, "inputs": [], "input_shapes": [], "outputs": ['$tensor']},
{"name": "MmBackward0", "id": 3, "parent": 1, "seq_id": 5, "scope": 1, "tid": 2, "fw_tid": 1, "inputs": ['$tensor'],
 "input_shapes": [[3]], "outputs": []},
{"name": "record_param_comms", "id": 4, "parent": 1, "inputs": [['$tensor'], 1, 0, "allreduce", []]}]}'
attributes='{"nodes": [{"id": 1, "name": "a", "ctrl_deps": 1, "inputs": {"values": ['$tensor'], "shapes": [[3]], "types": []},
"outputs": {"values": [], "shapes": [], "types": []}, "attrs": [{"name": "tid", "type": "uint64", "value": 1},
{"name": "collective_name", "type": "string", "value": "broadcast"}]}], "schema": "1.1.0-chakra.0.0.4"}'
graph='{"workload_graph": [{"Id": 1, "Name": "a", "NodeType": 4, "ctrlDeps": [9], "data_deps": [2], "runtime": 5,
"is_cpu_op": true}, {"Id": 2, "Name": "b", "NodeType": 7, "comm_type": 0, "comm_size": 64, "data_deps": []}]}'
events='{"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "mm", "pid": 9, "tid": 5, "ts": 1, "dur": 2,
"args": {"Input Dims": [[3]]}}, {"ph": "X", "cat": "cpu_op", "name": "MmBackward0", "pid": 9, "tid": 6, "ts": 4, "dur": 2}]}'
printf '0%s' "$members" >"$1/members"
printf '1%s' "$attributes" >"$1/attributes"
printf '2%s' "$graph" >"$1/graph"
{ printf '2'; printf '%s' "$members" | gzip -n; } >"$1/packed"
printf '3%s\0%s' "$members" "$events" >"$1/joined"
grep -ohE '\{"[A-Za-z_ ]+"' planner/trace/json_nodes.cc planner/trace/json_trace.cc planner/trace/execution.cc |
  sed 's/{//' | sort -u >"$2"
