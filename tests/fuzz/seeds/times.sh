# A table of every kind of time, columns in another order, cells that are quoted; words of the reader as a dictionary.
set -euo pipefail
head=kind,begin,end,before,after,count,mean_ns
words=$(sed -nE 's/^constexpr std::array<const char\*, [0-9]+> kNames\{(.*)\};$/\1/p' planner/replay/statistics.cc | tr -d '" ' | tr ',' ' ')
{
  echo "$head"
  for kind in $words; do printf '%s,"aten::mm","aten::mm","cudaMalloc","void f<a, b>(""x"")",12,-5250.125\n' "$kind"; done
} >"$1/all"
printf 'note,mean_ns,count,after,before,end,begin,kind\r\nx,2.5e3,4,k,,,,sync\r\n' >"$1/other"
printf '%s\ncall,,,,,1,2\ncall,,,,,3,4\n' "$head" >"$1/twice"
printf '%s\ncall,,,,,0,2\n' "$head" >"$1/wrong"
for word in ${head//,/ } $words; do printf '"%s"\n' "$word"; done >"$2"
