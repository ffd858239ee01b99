// What tensor ranks divide of a recurrence: groups of heads, or the inner width of a recurrence without groups.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "planner/plan/violations.h"
#include "tests/planner/sample.h"

namespace {

planner::Scenario of(const std::string& kind, int tp) {
  return sample::scenario(
      "model: {layers: 2, hidden: 1024, heads: 16, vocab: 32000, bias: false, norm: rmsnorm, pattern: ZZ, kinds: [{" +
      kind + ", letter: Z}]}\njob: {sequence: 2048, global_batch: 16}\ncluster: {use: dgx-h100, gpus: 8}\n" +
      "software: {use: megatron-core}\nparallelism: {auto: false, tp: " + std::to_string(tp) +
      ", dp: " + std::to_string(8 / tp) + "}\n");
}

bool divides(const std::string& kind, int tp) {
  const auto found = planner::layout_violations(of(kind, tp));
  return std::ranges::none_of(found, [](const planner::Violation& v) { return v.rule == "heads"; });
}

const planner::Block& layer_of(const planner::Workload& w) {
  return *std::ranges::find(w.blocks, planner::BlockKind::layer, &planner::Block::kind);
}

}  // namespace

TEST_CASE("tensor ranks divide groups of Mamba-2 and the inner width of Mamba-1") {
  struct Row {
    const char* kind;
    int tp;
    bool divides;
  };
  const Row rows[] = {
      {"use: mamba2", 8, true},                 // eight groups
      {"use: mamba2, key_heads: 4", 4, true},   //
      {"use: mamba2, key_heads: 4", 8, false},  // Megatron-Core: mamba_num_groups is a multiple of tp
      {"use: mamba2, key_heads: 1", 2, false},  // Bamba: as mamba_ssm's Mamba2
      {"use: mamba1", 8, true},                 // GPT-NeoX: 2048 channels
      {"use: mamba1, heads: 2044", 8, false},   //
      {"use: gated-delta, key_heads: 2", 4, false},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.kind));
    CAPTURE(row.tp);
    CHECK(divides(row.kind, row.tp) == row.divides);
  }
}

TEST_CASE("ranks of Mamba-1 sum what the selection wrote, and have a share of the channels") {
  const planner::Workload whole = sample::workload(of("use: mamba1", 1)),
                          divided = sample::workload(of("use: mamba1", 4));
  const planner::Block &one = layer_of(whole), &four = layer_of(divided);
  CHECK(sample::gemm_flops(sample::only(four.ops, "mixer.selection")) ==
        sample::gemm_flops(sample::only(one.ops, "mixer.selection")) / 4);
  CHECK(!sample::named(four.ops, "mixer.selection.all-reduce").empty());
  const auto scan = [](const planner::Block& b) {
    return std::get<operator_models::Scan>(sample::only(b.ops, "mixer.scan").op).heads;
  };
  CHECK(scan(four) == scan(one) / 4);
}
