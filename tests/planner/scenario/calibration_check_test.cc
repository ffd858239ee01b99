// A calibration table that no model can read is reported at its place, never ignored.
#include <deque>

#include "planner/resolve/read.h"
#include "tests/planner/sample.h"

namespace {

struct Mistake {
  const char* row;   // over the calibration of the cluster
  const char* says;  // the first message
  const char* at;    // the text that its caret begins at
  const char* hint;
};

const Mistake kMistakes[] = {
    {"collective: {nvlink-all-gather: {table_ranks: [2, 8], table_us: [9, 10, 11]}}",
     "collective.nvlink-all-gather.table_us: 3 times do not share out among 2 groups", "[9, 10", "as many for each"},
    {"collective: {nvlink-all-gather: {table_ranks: [8], table_us: [9]}}",
     "collective.nvlink-all-gather.table_us: 1 times do not share out among 1 groups", "[9]", "two or more"},
    {"collective: {nvlink-all-gather: {table_ranks: [8, 2], table_us: [9, 10, 11, 12]}}",
     "collective.nvlink-all-gather.table_ranks must ascend: 8 stands before 2", "[8, 2]", "sort it"},
    {"collective: {nvlink-all-gather: {table_ranks: [2, 8], table_octave: 9, table_us: [9, 10, 11, 10]}}",
     "collective.nvlink-all-gather.table_us falls over 8 ranks, from 11 us at 2^9 bytes to 10 us", "[9, 10",
     "a larger message takes no less time"},
    {"collective: {nvlink-reduce-scatter: {table_ranks: [8], table_us: [9, 10]}}",
     "collective.nvlink-reduce-scatter.table_us comes without its table_octave, which ", "[9, 10]",
     "both belong to one table: give table_octave too"},
    {"collective: {nvlink-all-gather: {table_us: [9, 10]}}",
     "collective.nvlink-all-gather.table_us comes without its table_ranks, which ", "[9, 10]", "give table_ranks too"},
    {"collective: {nvlink-all-gather: {table_ranks: [2], table_us: [9, -1]}}",
     "collective.nvlink-all-gather.table_us must be at least 0.001, got -1", "-1", ""},
    {"collective: {nvlink-all-gather: {region_ranks: [2], region: [9, 14, 24, 3, 20, 0.5, 2]}}",
     "collective.nvlink-all-gather.region holds 7 of the 8 numbers that belong there", "[9, 14", "eight for each"},
    {"collective: {nvlink-all-gather: {region_ranks: [2], region: [9, 24, 14, 3, 20, 0.5, 2, 200]}}",
     "collective.nvlink-all-gather.region of 2 ranks is no curve", "[9, 24", "the first boundary not above"},
    {"collective: {nvlink-all-gater: {efficiency: 0.8}}",
     "no collective 'all-gater' for the row 'nvlink-all-gater'; known: all-reduce, all-gather,", "0.8",
     "did you mean 'all-gather'?"},
    {"gemm: {bf16: {table_m: [1, 64], table_n: [1, 32], table_k: [1, 32], table: [1, 2, 3, 4]}}",
     "gemm.bf16.table holds 4 of the 8 numbers that belong there", "[1, 2, 3, 4]", "k runs fastest"},
    {"gemm: {bf16: {table_m: [64, 1], table_n: [1, 8], table_k: [1, 8], table: [1, 2, 3, 4, 5, 6, 7, 8]}}",
     "gemm.bf16.table_m must ascend: 64 stands before 1", "[64, 1]", "sort it"},
    {"gemm: {bf16: {table_m: [64], table_n: [1, 8], table_k: [1, 8], table: [1, 2, 3, 4]}}",
     "gemm.bf16.table_m has a single node", "[64]", "between two or more"},
    {"gemm: {bf16: {tile_m: [128, 64], tile_n: [128], tile_efficiency: [1, 0.9]}}",
     "gemm.bf16.tile_n holds 1 of the 2 numbers that belong there", "[128]", "each tile of tile_m"},
    {"attention: {flash2: {table: [{head_dim: 128, keys: [128, 256], efficiency: [0.3], work: [1], share: [1]}]}}",
     "attention.flash2.table[0].efficiency holds 1 of the 2 numbers that belong there", "[0.3]",
     "one for each of keys"},
    {"attention: {flash2: {table: [{head_dim: 128, keys: [128], efficiency: [0.3], work: [2, 1], share: [1, 1]}]}}",
     "attention.flash2.table[0].work must ascend: 2 stands before 1", "[2, 1]", "sort it"},
    {"vector: {softmax: {efficiency: 0.8, widths: [1024, 4096], efficiencies: [0.8]}}",
     "vector.softmax.efficiencies holds 1 of the 2 numbers that belong there", "[0.8]", "one for each of widths"},
};

/// The scenario of a mistake, and what reading it says.
struct Read {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  bool refused;
  explicit Read(const std::string& row) {
    sources.push_back({.name = "test.yaml",
                       .text = "model: {use: gpt3-175b}\njob: {sequence: 2048, global_batch: 8}\ncluster:\n"
                               "  use: dgx-h100\n  gpus: 8\n  gpu:\n    calibration:\n      " +
                               row + "\n"});
    const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
    refused = !planner::read_scenario(sources.front(), {}, catalog, sources, diagnostics);
  }
};

}  // namespace

TEST_CASE("a malformed table of a calibration is a mistake at its place") {
  for (const Mistake& m : kMistakes) {
    INFO(m.row);
    const Read read(m.row);
    CHECK(read.refused);
    REQUIRE(!read.diagnostics.list.empty());
    const dsl::Diagnostic& first = read.diagnostics.list.front();
    CHECK(first.message.find(m.says) != std::string::npos);
    CHECK(first.hint.find(m.hint) != std::string::npos);
    REQUIRE(first.span.source);
    CHECK(first.span.source->name == "test.yaml");
    CHECK(first.span.line == 8);
    CHECK(first.span.column == 7 + std::string(m.row).find(m.at));
  }
}

TEST_CASE("a table may be dropped, and the rows of a tier may have names with dashes") {
  for (const char* row :
       {"collective: {nvlink-all-gather: {table_ranks: [], table_us: []}}", "gemm: {bf16: {table: []}}",
        "collective: {nvlink-mesh: {efficiency: 0.8}, infinity-fabric-all-reduce: {efficiency: 0.8}}"}) {
    INFO(row);
    CHECK_FALSE(Read(row).refused);
  }
}
