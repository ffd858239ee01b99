# A table of each layout of each kind, for each of its models: shapes from a grid, times as a GPU might take.
set -euo pipefail
folder=$1

# table NAME FIRST_LINE HEADER AWK: rows of a loop over i from 1 to 24.
table() {
  { printf '%s\n%s\n' "$2" "$3"; awk "BEGIN { for (i = 1; i <= ${rows:-24}; i++) { $4 } }"; } >"$folder/$1"
}

gemm='m = 128 * (1 + i % 5) * i; n = 1024 * (1 + i % 3); k = 512 * (1 + i % 4); t = 5 + 2 * m * n * k / 2e8;'
for model in table wave roofline baseline; do
  table "gemm-$model" "gemm $model g.csv" m,n,k,latency_us "$gemm"' printf "%d,%d,%d,%.4g\n", m, n, k, t'
done
rows=210 table gemm-many 'gemm table g.csv' m,n,k,us "$gemm"' printf "%d,%d,%d,%.4g\n", m, n, k, t'
table gemm-kit 'gemm wave g.csv' batch,m,n,k,precision,layout,time_us "$gemm"' split("TN NN NT", l, " ");
  printf "%d,%d,%d,%d,%s,%s,%.4g\n", 1 + i % 2, m, n, k, "bf16", l[1 + i % 3], 2 * t'
table gemm-simumax 'gemm roofline g.csv' b,m,k,n,layout,accumulate,out_dtype,time_us "$gemm"'
  printf "1,%d,%d,%d,TN,%s,%s,%.4g\n", m, k, n, i % 2 ? "True" : "False", i % 2 ? "fp32" : "bf16", t'
table gemm-vidur 'gemm roofline g.csv' \
  num_tokens,num_tensor_parallel_workers,n_head,n_kv_head,n_embd,n_expanded_embd,use_gated_mlp,attn_pre_proj_ms,attn_post_proj_ms,mlp_up_proj_ms,mlp_down_proj_ms \
  'printf "%d,1,32,8,4096,11008,True,%g,%g,%g,%g\n", 64 * i, .02 * i, .016 * i, .06 * i, .04 * i'
for model in table fused; do
  table "attention-$model" "attention $model a.csv" batch_size,seq_len,num_heads,num_kv_heads,head_dim,latency_us '
    s = 256 * i; printf "%d,%d,32,8,128,%.4g\n", 1 + i % 3, s, 10 + (1 + i % 3) * 32 * s * s * 128 / 5e7'
done
rows=66 table attention-kit 'attention table a.csv' \
  kernel,batch,heads,kv_heads,queries,keys,head_dim,causal,backward,precision,time_us '
    s = 128 * i; printf "flash2,1,32,8,%d,%d,128,1,%d,bf16,%.4g\n", s, s, i % 11 == 0, 10 + 32 * s * s * 128 / 5e7'
table attention-simumax 'attention fused a.csv' \
  op,peak_tflops,efficiency,batch,seq_len,head_num,kv_head_num,qk_head_dim,v_head_dim \
  'printf "sdp_%s,312,%.3g,1,%d,32,8,128,128\n", i % 2 ? "fwd" : "bwd", .3 + .01 * i, 512 * i'
for model in streaming baseline; do
  table "vector-$model" "vector $model v.csv" op,rows,columns,precision,backward,read_bytes,written_bytes,time_us '
    split("layernorm softmax gelu adam embedding", op, " "); b = 4e6 * i
    printf "%s,%d,4096,bf16,0,%d,%d,%.4g\n", op[1 + i % 5], 512 * i, b, b, 4 + 2 * b / 1.4e6'
done
table vector-llmcompass 'vector streaming softmax_fp16_A100.csv' m,n,gelem_per_s 'printf "%d,1024,%d\n", 512 * i, 100 + i'
table vector-neusight 'vector streaming v.csv' op,B,H,latency_ms '
  split("add addu layernorm", op, " "); printf "%s,%d,1024,%.4g\n", op[1 + i % 3], 1024 * i, .01 + .008 * i'
for model in table alpha-beta three_region baseline; do
  table "collective-$model" "collective $model c.csv" op,ranks,gpus_per_node,size_bytes,precision,time_us '
    split("all_reduce all_gather send_recv", op, " "); r = i % 4 ? 8 : 16; s = 2 ^ (12 + i % 14)
    printf "%s,%d,8,%d,bf16,%.4g\n", op[1 + i % 3], op[1 + i % 3] == "send_recv" ? 2 : r, s, 30 + s / (r > 8 ? 5e3 : 5e4)'
done
table collective-vidur 'collective alpha-beta c.csv' \
  op,num_gpus,gpus_per_node_used,gpus_per_node_max,size_bytes,median_ms \
  's = 2 ^ (10 + i); printf "all_reduce,8,8,8,%d,%.4g\n", s, .03 + s / 1e8'
trace=name,target,input_shapes,output_shape,dtype,fw_ms,bw_ms
table baseline-trace 'baseline baseline t.csv' "$trace" '
  printf "q,encoder.%d.query,\"[[8, %d, 1024]]\",\"(8, %d, 1024)\",torch.float32,%g,%g\n", i, 64 * i, 64 * i, .1 * i, .2 * i
  printf "ln,encoder.%d.LayerNorm,\"[[8, %d, 1024]]\",\"(8, %d, 1024)\",torch.float32,%g,%g\n", i, 64 * i, 64 * i, .01 * i, .02 * i'
table vector-trace 'vector streaming t.csv' "run,$trace" '
  printf "r,ln,encoder.%d.LayerNorm,\"[[8, %d, 1024]]\",\"(8, %d, 1024)\",torch.float32,%g,%g\n", i, 64 * i, 64 * i, .01 * i, .02 * i'
{ echo 'nccl-tests table all_reduce_N2_G8.log'; sed -nE 's/^ *"(.*)\\n".*$/\1/p' tests/operator_models/nccl_log_test.cc; } \
  >"$folder/nccl"
