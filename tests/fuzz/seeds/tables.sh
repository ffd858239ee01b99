# Tables with and without reuse factors; 4 ranks and batches of 4 and 4096.
set -euo pipefail
factors=$(printf ',rf%d' {0..16})
printf '\x03\x0crows,dim,pooling\n1000000,64,30\n50000,32,2\n200000000,128,8.5\n' >"$1/plain"
printf '\x03\x02name,rows,dim,pooling%s\nuser,8,4,3.5,0,0.375,0.625%s\n' "$factors" "$(printf ',0%.0s' {1..14})" >"$1/reuse"
