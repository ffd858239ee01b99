// Passes as text: a scenario, a name, and every line of the dump that begins with it.
#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include "planner/workload/dump.h"
#include "tests/planner/workload/lower/mixtures.h"

using sample::Sets;

namespace {

/// Lines of the dump whose first word, behind the number of an operator, begins with the name: a number counts from
/// the start of its block.
std::string excerpt(const planner::Scenario& s, const std::string& name) {
  std::istringstream text(planner::dump(sample::workload(s)));
  std::string found = "\n";
  for (std::string line; std::getline(text, line);) {
    size_t at = line.find_first_not_of(' ');
    if (at == std::string::npos || at < 4) continue;
    if (line[at] >= '0' && line[at] <= '9') at = line.find(' ', at) + 1;
    if (line.compare(at, name.size(), name) == 0) found += line + "\n";
  }
  return found;
}

struct Row {
  const char* model;
  Sets sets;
  const char* name;
  const char* lines;
};

planner::Scenario scenario_of(const Row& row) {
  const std::string model = row.model;
  return model == "gpt"     ? sample::gpt(row.sets)
         : model == "llama" ? sample::llama(row.sets)
                            : mixtures::mixture(row.sets);
}

const char* const kHost = "cluster.host={bandwidth: 20 GB/s, memory: 1 TB, memory_bandwidth: 400 GB/s}";

}  // namespace

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
    4 embedding.dropout embedding-dropout embedding dropout elements=1048576 read=2097152 written=3145728 split=sequence reads=2 result
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
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(excerpt(scenario_of(row), row.name) == row.lines);
  }
}

TEST_CASE("the dump shows what context parallelism writes") {
  const std::vector<Row> rows{
      {"llama",
       {"parallelism.cp=2"},
       "attention.ring",
       R"(
    28 attention.ring context-transfer attention all-gather bytes=2097152 ranks=2 inside=2,2 split=heads reads=6,3 cp under=8
    29 attention.ring context-transfer attention all-gather bytes=2097152 ranks=2 inside=2,2 split=heads reads=kept of=8 cp under=9
    30 attention.ring-gradients context-transfer attention reduce-scatter bytes=2097152 ranks=2 inside=2,2 split=heads reads=9 cp under=9
)"},
      {"llama",
       {"parallelism.cp=2"},
       "attention.fused",
       R"(
    8 attention.fused fused-attention attention attention te bf16 batch=1 heads=16 kv-heads=4 queries=1024 keys=1024 head=64 split=heads reads=6,3,28
    9 attention.fused fused-attention attention attention te bf16 batch=1 heads=16 kv-heads=4 queries=1024 keys=1024 head=64 gradient split=heads reads=11,29 of=8
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
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(excerpt(scenario_of(row), row.name) == row.lines);
  }
}

TEST_CASE("the dump shows what expert parallelism writes") {
  const std::vector<Row> rows{
      {"mixture",
       {"parallelism.ep=4", "parallelism.sequence_parallel=true"},
       "experts.fc1",
       R"(
    27 experts.fc1 fc1 experts gemm 4x1024x2048x1024 bf16 bytes=2/2/2 split=column routed product=4 enters reads=25
    28 experts.fc1.dgrad fc1 experts gemm 4x1024x2048x1024 bf16 bytes=2/2/2 dgrad split=column routed product=4 data-gradient enters reads=31 of=27
    29 experts.fc1.wgrad fc1 experts gemm 4x1024x1024x2048 bf16 bytes=2/2/4 wgrad accumulate split=column routed product=4 weight-gradient reads=31 of=27
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
    35 experts.fc2 fc2 experts gemm 8x1024x2048x256 bf16 bytes=2/2/2 split=row routed product=5 leaves reads=33
    36 experts.fc2.reduce-scatter fc2 experts reduce-scatter bytes=33554432 ranks=2 inside=2,2 routed reads=35 sp
    37 experts.fc2.dgrad.all-gather fc2 experts all-gather bytes=33554432 ranks=2 inside=2,2 routed reads=41 sp
    38 experts.fc2.dgrad fc2 experts gemm 8x256x2048x1024 bf16 bytes=2/2/2 dgrad split=row routed product=5 data-gradient leaves reads=37 of=35
    39 experts.fc2.wgrad fc2 experts gemm 8x256x1024x2048 bf16 bytes=2/2/4 wgrad accumulate split=row routed product=5 weight-gradient reads=37 of=35
    experts.fc2 parameters=2097152 split=row matrix=256x1024 routed
)"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(excerpt(scenario_of(row), row.name) == row.lines);
  }
}

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
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(excerpt(scenario_of(row), row.name) == row.lines);
  }
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
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(excerpt(scenario_of(row), row.name) == row.lines);
  }
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
    4 offload.adam optimizer host update adam parameters=155730944 read=16 written=14 flops=12
    5 offload.parameters offload to-device bytes=311461888 host under=host-update
)"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(excerpt(scenario_of(row), row.name) == row.lines);
  }
}
