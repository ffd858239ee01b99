# Every field that a scenario writes, set to its own value, to nearby values and to others' values; and fields that no
# scenario writes, with their defaults.
set -euo pipefail
count=0
put() { count=$((count + 1)); printf '%s\n' "$@" >"$folder/$count"; }
folder=$1
sets=(parallelism.tp={2,8,16} parallelism.pp={1,4,8} parallelism.dp={1,64} parallelism.cp=2 parallelism.ep={1,8} parallelism.etp=1
  parallelism.interleave={1,4} parallelism.microbatch={1,2} parallelism.zero={0,1,2,3} parallelism.zero_group=4
  parallelism.recompute={none,selective,full} parallelism.recompute_every=3 parallelism.sequence_parallel={true,false}
  parallelism.schedule={1f1b,gpipe,v-half,v-min,zb-h1,dualpipe} 'parallelism.offload={optimizer: 0.5}'
  'parallelism.offload={activations: 1}' parallelism.servers=2 parallelism.order=dp-tp-cp-ep-pp 'parallelism.stages=[1, 2, 3]'
  job.{sequence=8192,global_batch=7,document=512,tokens=1e12,precision=fp8,optimizer=sgd,phase=forward,task=lora}
  job.lora.rank=16 job.routing.capacity=1.25 'job.sequence={points: [64, 512], weights: [1, 3]}'
  cluster.gpus={1,3,100000} cluster.gpus_per_node=4 'cluster.gpu.memory=1 GB' 'cluster.network[0].latency=1 ms'
  'cluster.network[1].bandwidth=1 B/s' cluster.gpu.use=h100-sxm-80gb cluster.use=dgx-b200 'cluster.gpu.flops.bf16=1 FLOP/s'
  model.{layers=1,hidden=64,heads=3,kv_heads=1,vocab=7,ffn=1} model.use=mixtral-8x7b model.experts.count=64
  software.use=torchtitan software.relative_error=0.9 'software.memory.fragmentation=0.5' software.zero.units=layer
  goal.minimize=usd 'where=[mfu > 0.1]' software.release=any 'let={x: 3}' cluster.gpus='2 ^ 5')
scenarios=$(find scenarios -maxdepth 1 -name '*.yaml' | wc -l)
for ((i = 0; i < scenarios; ++i)); do put "$i"; done
for ((i = 0; i < ${#sets[@]}; ++i)); do
  put "$((i % scenarios))" "${sets[i]}"
  put "$((i * 7 % scenarios))" "${sets[i]}" "${sets[(i * 5 + 3) % ${#sets[@]}]}" "${sets[(i * 11 + 1) % ${#sets[@]}]}"
done
"$3" list scenario-field --format tsv --columns path | sed '1d; s/\[\]/[0]/g; s/.*/"&="/' >"$2"
