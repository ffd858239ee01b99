// Recomputation, adapters and offloading as text: a scenario, a name, and every line of the dump that begins with it.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/planner/workload/dumped.h"

using dumped::check;
using dumped::Row;

namespace {

const char* const kHost = "cluster.host={bandwidth: 20 GB/s, memory: 1 TB, memory_bandwidth: 400 GB/s}";

}  // namespace

TEST_CASE("the dump shows what recomputation writes") {
  const std::vector<Row> rows{
      {"llama",
       {"parallelism.recompute=full"},
       "attention.norm",
       R"(
    0 attention.norm attention-norm residual normalization elements=2097152 read=4194304 written=4194304 flops=4 width=1024 split=sequence reads=input
    28 attention.norm attention-norm residual normalization elements=2097152 read=4194304 written=4194304 flops=4 width=1024 split=sequence reads=kept of=0
    1 attention.norm attention-norm residual normalization elements=2097152 read=8388608 written=4194304 flops=4 width=1024 split=sequence reads=4,28 of=0
    2 attention.norm.gradient attention-norm residual reduction elements=2097152 read=8388608 written=0 flops=2 split=sequence reads=4,28 of=0
    attention.norm parameters=1024
)"},
      {"llama",
       {"parallelism.recompute=full"},
       "mlp.fc1",
       R"(
    18 mlp.fc1 fc1 mlp gemm 1x5632x2048x1024 bf16 bytes=2/2/2 split=column product=3 enters reads=15
    35 mlp.fc1 fc1 mlp gemm 1x5632x2048x1024 bf16 bytes=2/2/2 split=column product=3 enters reads=34 of=18
    19 mlp.fc1.dgrad fc1 mlp gemm 1x1024x2048x5632 bf16 bytes=2/2/2 dgrad split=column product=3 data-gradient enters reads=22 of=18
    20 mlp.fc1.wgrad fc1 mlp gemm 1x1024x5632x2048 bf16 bytes=2/2/4 wgrad accumulate split=column product=3 weight-gradient reads=22,34 of=18
    mlp.fc1 parameters=5767168 split=column matrix=1024x5632
)"},
      {"llama",
       {"parallelism.recompute=selective"},
       "attention.fused",
       R"(
    8 attention.fused fused-attention attention attention te bf16 batch=1 heads=16 kv-heads=4 queries=2048 keys=2048 head=64 causal split=heads reads=6,3
    9 attention.fused fused-attention attention attention te bf16 batch=1 heads=16 kv-heads=4 queries=2048 keys=2048 head=64 causal gradient split=heads reads=11 of=8
)"},
      {"gpt",
       {"parallelism.recompute=selective"},
       "attention.score",
       R"(
    8 attention.score score attention gemm 16x1024x1024x64 fp16 bytes=2/2/2 split=heads product=2 reads=3
    44 attention.score score attention gemm 16x1024x1024x64 fp16 bytes=2/2/2 split=heads product=2 reads=kept of=8
    9 attention.score.dgrad score attention gemm 16x1024x64x1024 fp16 bytes=2/2/2 split=heads product=2 data-gradient reads=12 of=8
    10 attention.score.wgrad score attention gemm 16x64x1024x1024 fp16 bytes=2/2/2 split=heads product=2 reads=12 of=8
)"},
      {"gpt",
       {"parallelism.recompute=selective"},
       "attention.softmax",
       R"(
    11 attention.softmax softmax attention softmax elements=16777216 read=33554432 written=33554432 flops=5 width=1024 split=heads reads=8
    45 attention.softmax softmax attention softmax elements=16777216 read=33554432 written=33554432 flops=5 width=1024 split=heads reads=44 of=11
    12 attention.softmax softmax attention softmax elements=16777216 read=67108864 written=33554432 flops=4 width=1024 split=heads reads=14,44,45 of=11
)"},
  };
  check(rows);
}

TEST_CASE("the dump shows what low-rank adapters write") {
  const std::vector<Row> rows{
      {"llama",
       {"job.lora.rank=8"},
       "attention.qkv",
       R"(
    2 attention.qkv qkv attention gemm 1x1536x2048x1024 bf16 bytes=2/2/2 split=column product=1 enters reads=0
    3 attention.qkv.lora-a qkv attention gemm 1x8x2048x1024 bf16 bytes=2/2/2 split=column product=5 adapter reads=0
    4 attention.qkv.lora-b qkv attention gemm 1x1536x2048x8 bf16 bytes=2/2/2 split=column product=6 adapter reads=3
    5 attention.qkv.lora-add qkv attention elementwise elements=3145728 read=12582912 written=6291456 flops=2 split=column adapter reads=4,2
    6 attention.qkv.dgrad qkv attention gemm 1x1024x2048x1536 bf16 bytes=2/2/2 dgrad split=column product=1 data-gradient enters reads=13,15 of=2
    7 attention.qkv.lora-a.dgrad qkv attention gemm 1x1024x2048x8 bf16 bytes=2/2/2 dgrad split=column product=5 data-gradient adapter reads=9 of=3
    8 attention.qkv.lora-a.wgrad qkv attention gemm 1x1024x8x2048 bf16 bytes=2/2/4 wgrad accumulate split=column product=5 weight-gradient adapter reads=9 of=3
    9 attention.qkv.lora-b.dgrad qkv attention gemm 1x8x2048x1536 bf16 bytes=2/2/2 dgrad split=column product=6 data-gradient adapter reads=13,15 of=4
    10 attention.qkv.lora-b.wgrad qkv attention gemm 1x8x1536x2048 bf16 bytes=2/2/4 wgrad accumulate split=column product=6 weight-gradient adapter reads=13,15 of=4
    11 attention.qkv.lora-add qkv attention elementwise elements=2097152 read=8388608 written=4194304 adapter reads=7,6
    attention.qkv parameters=1572864 split=column matrix=1024x1536 frozen
    attention.qkv.lora-a parameters=8192 split=column matrix=1024x8
    attention.qkv.lora-b parameters=12288 split=column matrix=8x1536
    attention.qkv.lora-a.output adapter-output bytes=32768
)"},
      {"llama",
       {"job.lora.rank=8", "job.lora.targets=all"},
       "mlp.fc2",
       R"(
    42 mlp.fc2 fc2 mlp gemm 1x1024x2048x2816 bf16 bytes=2/2/2 split=row product=4 leaves reads=40
    43 mlp.fc2.lora-a fc2 mlp gemm 1x8x2048x2816 bf16 bytes=2/2/2 split=row product=11 adapter reads=40
    44 mlp.fc2.lora-b fc2 mlp gemm 1x1024x2048x8 bf16 bytes=2/2/2 split=column product=12 adapter reads=43
    45 mlp.fc2.lora-add fc2 mlp elementwise elements=2097152 read=8388608 written=4194304 flops=2 split=sequence adapter reads=44,42
    46 mlp.fc2.dgrad fc2 mlp gemm 1x2816x2048x1024 bf16 bytes=2/2/2 dgrad split=row product=4 data-gradient leaves reads=input of=42
    47 mlp.fc2.lora-a.dgrad fc2 mlp gemm 1x2816x2048x8 bf16 bytes=2/2/2 dgrad split=row product=11 data-gradient adapter reads=49 of=43
    48 mlp.fc2.lora-a.wgrad fc2 mlp gemm 1x2816x8x2048 bf16 bytes=2/2/4 wgrad accumulate split=row product=11 weight-gradient adapter reads=49 of=43
    49 mlp.fc2.lora-b.dgrad fc2 mlp gemm 1x8x2048x1024 bf16 bytes=2/2/2 dgrad split=column product=12 data-gradient adapter reads=input of=44
    50 mlp.fc2.lora-b.wgrad fc2 mlp gemm 1x8x1024x2048 bf16 bytes=2/2/4 wgrad accumulate split=column product=12 weight-gradient adapter reads=input of=44
    51 mlp.fc2.lora-add fc2 mlp elementwise elements=5767168 read=23068672 written=11534336 split=column adapter reads=47,46
    mlp.fc2 parameters=2883584 split=row matrix=2816x1024 frozen
    mlp.fc2.lora-a parameters=22528 split=row matrix=2816x8
    mlp.fc2.lora-b parameters=8192 split=column matrix=8x1024
    mlp.fc2.lora-a.output adapter-output bytes=32768
)"},
      {"llama",
       {"job.lora.rank=8", "parallelism.tp=2"},
       "attention.qkv",
       R"(
    2 attention.qkv qkv attention gemm 1x768x2048x1024 bf16 bytes=2/2/2 split=column product=1 enters reads=0
    3 attention.qkv.lora-a qkv attention gemm 1x4x2048x1024 bf16 bytes=2/2/2 split=column product=5 adapter reads=0
    4 attention.qkv.lora-a.all-gather qkv attention all-gather bytes=32768 ranks=2 inside=2,2 adapter reads=3 tp
    5 attention.qkv.lora-b qkv attention gemm 1x768x2048x8 bf16 bytes=2/2/2 split=column product=6 adapter reads=4
    6 attention.qkv.lora-add qkv attention elementwise elements=1572864 read=6291456 written=3145728 flops=2 split=column adapter reads=5,2
    7 attention.qkv.dgrad qkv attention gemm 1x1024x2048x768 bf16 bytes=2/2/2 dgrad split=column product=1 data-gradient enters reads=16,18 of=2
    8 attention.qkv.dgrad.all-reduce qkv attention all-reduce bytes=4194304 ranks=2 inside=2,2 reads=14 tp
    9 attention.qkv.lora-a.dgrad qkv attention gemm 1x1024x2048x4 bf16 bytes=2/2/2 dgrad split=column product=5 data-gradient adapter reads=13 of=3
    10 attention.qkv.lora-a.wgrad qkv attention gemm 1x1024x4x2048 bf16 bytes=2/2/4 wgrad accumulate split=column product=5 weight-gradient adapter reads=13 of=3
    11 attention.qkv.lora-b.dgrad qkv attention gemm 1x8x2048x768 bf16 bytes=2/2/2 dgrad split=column product=6 data-gradient adapter reads=16,18 of=5
    12 attention.qkv.lora-b.wgrad qkv attention gemm 1x8x768x2048 bf16 bytes=2/2/4 wgrad accumulate split=column product=6 weight-gradient adapter reads=16,18 of=5
    13 attention.qkv.lora-b.dgrad.all-reduce qkv attention all-reduce bytes=32768 ranks=2 inside=2,2 adapter reads=11 of=5 tp
    14 attention.qkv.lora-add qkv attention elementwise elements=2097152 read=8388608 written=4194304 adapter reads=9,7
    attention.qkv parameters=786432 split=column matrix=1024x768 frozen
    attention.qkv.lora-a parameters=4096 split=column matrix=1024x4
    attention.qkv.lora-b parameters=6144 split=column matrix=8x768
    attention.qkv.lora-a.output adapter-output bytes=32768
)"},
  };
  check(rows);
}

TEST_CASE("the dump shows what offloading writes") {
  const std::vector<Row> rows{
      {"llama",
       {kHost, "parallelism.offload.weights=1"},
       "offload",
       R"(
    2 offload.weights offload to-device bytes=65536000 host under=block
    28 offload.weights offload to-device bytes=22548480 host under=block
    29 offload.weights offload to-device bytes=22548480 host under=block
    8 offload.weights offload to-device bytes=65538048 host under=block
    4 offload.updated offload to-host bytes=311461888 host
)"},
      {"llama",
       {kHost, "parallelism.offload.activations=1"},
       "offload",
       R"(
    28 offload.activations offload to-host bytes=61997056 reads=26 host under=block
    29 offload.activations offload to-device bytes=61997056 host under=block
    8 offload.activations offload to-host bytes=8388608 reads=6 host under=block
    9 offload.activations offload to-device bytes=8388608 host under=block
)"},
      {"llama",
       {kHost, "parallelism.offload.optimizer=1"},
       "offload",
       R"(
    3 offload.gradients offload to-host bytes=622923776 host under=last-backward
    4 offload.adam optimizer host update adam parameters=155730944 read=16 written=14 flops=12 register-commands=5
    5 offload.parameters offload to-device bytes=311461888 host under=host-update
)"},
  };
  check(rows);
}
