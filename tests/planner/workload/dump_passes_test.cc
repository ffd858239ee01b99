// Parallelism as text: a scenario, a name, and every line of the dump that begins with it.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/planner/workload/dumped.h"

using dumped::check;
using dumped::Row;

TEST_CASE("the dump shows what fused collectives make of tensor parallelism's") {
  const sample::Sets t3{"parallelism.tp=2", "software.fused_collectives=t3", "cluster.gpu.near_memory.op_and_store=2"};
  const std::vector<Row> rows{{"llama", t3, "mlp.fc2", R"(
    29 mlp.fc2 fc2 mlp gemm 1x1024x2048x1408 bf16 bytes=2/2/2 split=row product=4 leaves reads=27
    30 mlp.fc2.reduce-scatter fc2 mlp reduce-scatter bytes=4194304 ranks=2 inside=2,2 reads=29 tp fused=29
    31 mlp.fc2.all-gather fc2 mlp all-gather bytes=4194304 ranks=2 inside=2,2 reads=30 tp
    32 mlp.fc2.dgrad fc2 mlp gemm 1x1408x2048x1024 bf16 bytes=2/2/2 dgrad split=row product=4 data-gradient leaves reads=input of=29
    33 mlp.fc2.wgrad fc2 mlp gemm 1x1408x1024x2048 bf16 bytes=2/2/4 wgrad accumulate split=row product=4 weight-gradient reads=input of=29
    mlp.fc2 parameters=1441792 split=row matrix=1408x1024
)"},
                              {"llama", t3, "attention.qkv", R"(
    3 attention.qkv qkv attention gemm 1x768x2048x1024 bf16 bytes=2/2/2 split=column product=1 enters reads=0
    4 attention.qkv.dgrad qkv attention gemm 1x1024x2048x768 bf16 bytes=2/2/2 dgrad split=column product=1 data-gradient enters reads=9,11 of=3
    5 attention.qkv.dgrad.reduce-scatter qkv attention reduce-scatter bytes=4194304 ranks=2 inside=2,2 reads=4 tp fused=4
    6 attention.qkv.dgrad.all-gather qkv attention all-gather bytes=4194304 ranks=2 inside=2,2 reads=5 tp under=7
    7 attention.qkv.wgrad qkv attention gemm 1x1024x768x2048 bf16 bytes=2/2/4 wgrad accumulate split=column product=1 weight-gradient reads=9,11 of=3
    attention.qkv parameters=786432 split=column matrix=1024x768
)"}};
  check(rows);
}

TEST_CASE("the dump shows what tensor parallelism writes") {
  const std::vector<Row> rows{
      {"llama",
       {"parallelism.tp=2"},
       "attention.qkv",
       R"(
    3 attention.qkv qkv attention gemm 1x768x2048x1024 bf16 bytes=2/2/2 split=column product=1 enters reads=0
    4 attention.qkv.dgrad qkv attention gemm 1x1024x2048x768 bf16 bytes=2/2/2 dgrad split=column product=1 data-gradient enters reads=8,10 of=3
    5 attention.qkv.dgrad.all-reduce qkv attention all-reduce bytes=4194304 ranks=2 inside=2,2 reads=4 tp under=6
    6 attention.qkv.wgrad qkv attention gemm 1x1024x768x2048 bf16 bytes=2/2/4 wgrad accumulate split=column product=1 weight-gradient reads=8,10 of=3
    attention.qkv parameters=786432 split=column matrix=1024x768
)"},
      {"llama",
       {"parallelism.tp=2"},
       "mlp.fc2",
       R"(
    26 mlp.fc2 fc2 mlp gemm 1x1024x2048x1408 bf16 bytes=2/2/2 split=row product=4 leaves reads=24
    27 mlp.fc2.all-reduce fc2 mlp all-reduce bytes=4194304 ranks=2 inside=2,2 reads=26 tp
    28 mlp.fc2.dgrad fc2 mlp gemm 1x1408x2048x1024 bf16 bytes=2/2/2 dgrad split=row product=4 data-gradient leaves reads=input of=26
    29 mlp.fc2.wgrad fc2 mlp gemm 1x1408x1024x2048 bf16 bytes=2/2/4 wgrad accumulate split=row product=4 weight-gradient reads=input of=26
    mlp.fc2 parameters=1441792 split=row matrix=1408x1024
)"},
      {"llama",
       {"parallelism.tp=2"},
       "attention.norm",
       R"(
    0 attention.norm attention-norm residual normalization elements=2097152 read=4194304 written=4194304 flops=4 width=1024 split=sequence reads=input
    1 attention.norm attention-norm residual normalization elements=2097152 read=8388608 written=4194304 flops=4 width=1024 split=sequence reads=5 of=0
    2 attention.norm.gradient attention-norm residual reduction elements=2097152 read=8388608 written=0 flops=2 split=sequence reads=5 of=0
    attention.norm parameters=1024
    attention.norm.input layer-input bytes=4194304 split=sequence
)"},
      {"llama",
       {"parallelism.tp=2", "parallelism.sequence_parallel=true"},
       "attention.norm",
       R"(
    0 attention.norm attention-norm residual normalization elements=1048576 read=2097152 written=2097152 flops=4 width=1024 split=sequence reads=input
    1 attention.norm attention-norm residual normalization elements=1048576 read=4194304 written=2097152 flops=4 width=1024 split=sequence reads=7 of=0
    2 attention.norm.gradient attention-norm residual reduction elements=1048576 read=4194304 written=0 flops=2 split=sequence reads=7 of=0
    attention.norm parameters=1024
    attention.norm.input layer-input bytes=2097152 split=sequence
)"},
      {"llama",
       {"parallelism.tp=2", "parallelism.sequence_parallel=true"},
       "mlp.fc2",
       R"(
    31 mlp.fc2 fc2 mlp gemm 1x1024x2048x1408 bf16 bytes=2/2/2 split=row product=4 leaves reads=29
    32 mlp.fc2.reduce-scatter fc2 mlp reduce-scatter bytes=4194304 ranks=2 inside=2,2 reads=31 sp
    33 mlp.fc2.dgrad.all-gather fc2 mlp all-gather bytes=4194304 ranks=2 inside=2,2 reads=input sp
    34 mlp.fc2.dgrad fc2 mlp gemm 1x1408x2048x1024 bf16 bytes=2/2/2 dgrad split=row product=4 data-gradient leaves reads=33 of=31
    35 mlp.fc2.wgrad fc2 mlp gemm 1x1408x1024x2048 bf16 bytes=2/2/4 wgrad accumulate split=row product=4 weight-gradient reads=33 of=31
    mlp.fc2 parameters=1441792 split=row matrix=1408x1024
)"},
      {"llama",
       {"parallelism.tp=4", "parallelism.sequence_parallel=true"},
       "mlp.fc1",
       R"(
    23 mlp.fc1.all-gather fc1 mlp all-gather bytes=4194304 ranks=4 inside=4,4 reads=20 sp
    24 mlp.fc1 fc1 mlp gemm 1x1408x2048x1024 bf16 bytes=2/2/2 split=column product=3 enters reads=23
    25 mlp.fc1.dgrad fc1 mlp gemm 1x1024x2048x1408 bf16 bytes=2/2/2 dgrad split=column product=3 data-gradient enters reads=30 of=24
    26 mlp.fc1.dgrad.all-gather-input fc1 mlp all-gather bytes=4194304 ranks=4 inside=4,4 reads=kept of=24 sp under=25
    27 mlp.fc1.dgrad.reduce-scatter fc1 mlp reduce-scatter bytes=4194304 ranks=4 inside=4,4 reads=25 sp under=28
    28 mlp.fc1.wgrad fc1 mlp gemm 1x1024x1408x2048 bf16 bytes=2/2/4 wgrad accumulate split=column product=3 weight-gradient reads=30,26 of=24
    mlp.fc1 parameters=1441792 split=column matrix=1024x1408
)"},
      {"llama",
       {"parallelism.tp=2"},
       "head.",
       R"(
    0 head.norm final-norm head normalization elements=2097152 read=4194304 written=4194304 flops=4 width=1024 split=sequence reads=input
    3 head.logits logits head gemm 1x16000x2048x1024 bf16 bytes=2/2/2 split=column product=1 enters reads=0
    7 head.loss loss head cross-entropy elements=32768000 read=327680000 written=262144000 flops=5 split=column reads=3
    9 head.loss.all-reduce loss head all-reduce bytes=8192 ranks=2 inside=2,2 count=3 reads=7 result tp
    1 head.norm final-norm head normalization elements=2097152 read=8388608 written=4194304 flops=4 width=1024 split=sequence reads=5 of=0 result
    2 head.norm.gradient final-norm head reduction elements=2097152 read=8388608 written=0 flops=2 split=sequence reads=5 of=0
    4 head.logits.dgrad logits head gemm 1x1024x2048x16000 bf16 bytes=2/2/2 dgrad split=column product=1 data-gradient enters reads=8 of=3
    5 head.logits.dgrad.all-reduce logits head all-reduce bytes=4194304 ranks=2 inside=2,2 reads=4 tp under=6
    6 head.logits.wgrad logits head gemm 1x1024x16000x2048 bf16 bytes=2/2/4 wgrad accumulate split=column product=1 weight-gradient reads=8 of=3
    8 head.loss loss head cross-entropy elements=32768000 read=262144000 written=196608000 flops=2 split=column reads=input of=7
    head.norm parameters=1024
    head.logits parameters=16384000 split=column matrix=1024x16000
    head.norm.input final-states bytes=4194304 split=sequence
    head.input head-input bytes=4194304 split=sequence gathered
)"},
      {"gpt",
       {"parallelism.tp=2"},
       "attention.proj",
       R"(
    19 attention.projection attention-output attention gemm 1x1024x1024x512 fp16 bytes=2/2/2 split=row product=4 leaves reads=16
    20 attention.projection.all-reduce attention-output attention all-reduce bytes=2097152 ranks=2 inside=2,2 reads=19 tp
    21 attention.projection.dgrad attention-output attention gemm 1x512x1024x1024 fp16 bytes=2/2/2 dgrad split=row product=4 data-gradient leaves reads=26 of=19
    22 attention.projection.wgrad attention-output attention gemm 1x512x1024x1024 fp16 bytes=2/2/2 wgrad split=row product=4 weight-gradient reads=26 of=19
    23 attention.projection.add-gradient attention-output attention elementwise elements=524288 read=2097152 written=1048576 split=column of-weights reads=22 of=19
    24 attention.projection.bias-gradient attention-output attention reduction elements=1048576 read=2097152 written=0 reads=26 of=19
    attention.projection parameters=524288 split=row matrix=512x1024
    attention.projection.bias parameters=1024
)"},
      {"gpt",
       {"parallelism.tp=2"},
       "embedding",
       R"(
    0 embedding.word embedding embedding lookup rows=1024 width=1024 bytes=2 reads=input
    2 embedding.position position embedding elementwise elements=1048576 read=4194304 written=2097152 reads=6
    4 embedding.dropout embedding-dropout embedding dropout elements=1048576 read=2097152 written=3145728 flops=2 split=sequence reads=2 result
    6 embedding.word.all-reduce embedding embedding all-reduce bytes=2097152 ranks=2 inside=2,2 reads=0 tp
    1 embedding.word embedding embedding lookup rows=1024 width=1024 bytes=2 gradient reads=5 of=0
    3 embedding.position position embedding reduction elements=1048576 read=2097152 written=0 reads=5 of=2
    5 embedding.dropout embedding-dropout embedding dropout elements=1048576 read=3145728 written=2097152 split=sequence reads=input of=4
    embedding.word parameters=26214400 split=column
    embedding.position parameters=1048576
    embedding.dropout-mask embedding-mask bytes=1048576 split=sequence
)"},
      {"gpt",
       {"parallelism.tp=8"},
       "attention.softmax",
       R"(
    12 attention.softmax softmax attention softmax elements=2097152 read=4194304 written=4194304 flops=5 width=1024 split=heads reads=9
    13 attention.softmax softmax attention softmax elements=2097152 read=8388608 written=4194304 flops=4 width=1024 split=heads reads=15 of=12
    attention.softmax probabilities bytes=4194304 split=heads
)"},
  };
  check(rows);
}

TEST_CASE("the dump shows what context parallelism writes") {
  const std::vector<Row> rows{
      {"llama",
       {"parallelism.cp=2"},
       "attention.ring",
       R"(
    28 attention.ring context-transfer attention all-gather bytes=2097152 ranks=2 inside=2,2 split=heads reads=6,3 cp under=8
    29 attention.ring context-transfer attention all-gather bytes=2097152 ranks=2 inside=2,2 split=heads reads=kept of=8 cp under=9
    30 attention.ring-gradients context-transfer attention reduce-scatter bytes=2097152 ranks=2 inside=2,2 split=heads reads=32 cp under=9
)"},
      {"llama",
       {"parallelism.cp=2"},
       "attention.fused",
       R"(
    8 attention.fused fused-attention attention attention te bf16 batch=1 heads=16 kv-heads=4 queries=1024 keys=512 head=64 count=2 split=heads reads=6,3,28
    9 attention.fused fused-attention attention attention te bf16 batch=1 heads=16 kv-heads=4 queries=1024 keys=512 head=64 gradient count=2 split=heads reads=11,29 of=8
)"},
      {"llama",
       {"parallelism.cp=4"},
       "attention.qkv",
       R"(
    3 attention.qkv qkv attention gemm 1x1536x512x1024 bf16 bytes=2/2/2 split=column product=1 enters reads=0
    4 attention.qkv.dgrad qkv attention gemm 1x1024x512x1536 bf16 bytes=2/2/2 dgrad split=column product=1 data-gradient enters reads=7,30 of=3
    5 attention.qkv.wgrad qkv attention gemm 1x1024x1536x512 bf16 bytes=2/2/4 wgrad accumulate split=column product=1 weight-gradient reads=7,30 of=3
    attention.qkv parameters=1572864 split=column matrix=1024x1536
)"},
  };
  check(rows);
}

TEST_CASE("the dump shows what expert parallelism writes") {
  const std::vector<Row> rows{
      {"mixture",
       {"parallelism.ep=4", "parallelism.sequence_parallel=true"},
       "experts.fc1",
       R"(
    27 experts.fc1 fc1 experts gemm 4x1024x2048x1024 bf16 bytes=2/2/2 grouped split=column routed product=4 enters reads=25
    28 experts.fc1.dgrad fc1 experts gemm 4x1024x2048x1024 bf16 bytes=2/2/2 dgrad grouped split=column routed product=4 data-gradient enters reads=31 of=27
    29 experts.fc1.wgrad fc1 experts gemm 4x1024x1024x2048 bf16 bytes=2/2/4 wgrad accumulate grouped split=column routed product=4 weight-gradient reads=31 of=27
    experts.fc1 parameters=4194304 split=column matrix=1024x1024 routed
)"},
      {"mixture",
       {"parallelism.ep=4", "parallelism.sequence_parallel=true"},
       "experts.dispatch",
       R"(
    51 experts.dispatch dispatch experts all-to-all bytes=16777216 ranks=4 inside=4,4 reads=23 ep
    54 experts.dispatch-gradient dispatch experts all-to-all bytes=16777216 ranks=4 inside=4,4 reads=26 ep
)"},
      {"mixture",
       {"parallelism.ep=4", "parallelism.sequence_parallel=true"},
       "experts.combine",
       R"(
    52 experts.combine combine experts all-to-all bytes=16777216 ranks=4 inside=4,4 reads=35 ep
    53 experts.combine-gradient combine experts all-to-all bytes=16777216 ranks=4 inside=4,4 reads=38 ep
)"},
      {"mixture",
       {"parallelism.ep=2", "parallelism.etp=2", "parallelism.sequence_parallel=true"},
       "experts.fc2",
       R"(
    35 experts.fc2 fc2 experts gemm 8x1024x2048x256 bf16 bytes=2/2/2 grouped split=row routed product=5 leaves reads=33
    36 experts.fc2.reduce-scatter fc2 experts reduce-scatter bytes=33554432 ranks=2 inside=2,2 routed reads=35 sp
    37 experts.fc2.dgrad.all-gather fc2 experts all-gather bytes=33554432 ranks=2 inside=2,2 routed reads=41 sp
    38 experts.fc2.dgrad fc2 experts gemm 8x256x2048x1024 bf16 bytes=2/2/2 dgrad grouped split=row routed product=5 data-gradient leaves reads=37 of=35
    39 experts.fc2.wgrad fc2 experts gemm 8x256x1024x2048 bf16 bytes=2/2/4 wgrad accumulate grouped split=row routed product=5 weight-gradient reads=37 of=35
    experts.fc2 parameters=2097152 split=row matrix=256x1024 routed
)"},
  };
  check(rows);
}
