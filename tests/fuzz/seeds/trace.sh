# One trace of the program's tests, whole, packed, of two ranks; the words of the reader as a dictionary.
set -euo pipefail
text=$(sed -n '/kTrace = R"(/,/)";/p' tests/cli/commands/data_contract_test.cc | sed 's/.*R"(//; s/)";//')
printf '0%s' "$text" >"$1/whole"
printf '1%s' "$text" >"$1/pieces"
{ printf '2'; printf '%s' "$text" | gzip -n; } >"$1/packed"
printf '3%s\0%s' "$text" "${text/\"rank\": 1/\"rank\": 0}" >"$1/two"
grep -ohE '\{"[A-Za-z_ ]+"' planner/trace/kineto_event.cc planner/trace/kineto_table.cc | sed 's/{//' | sort -u >"$2"
