// Vidur's rows: the values read, and impossible sizes.
#include "operator_models/calibrate/vidur.h"

#include <doctest/doctest.h>

using namespace operator_models;

namespace {

struct ReadBlock {
  explicit ReadBlock(const std::string& cells)
      : source{"mlp.csv",
               "num_tokens,num_tensor_parallel_workers,n_head,n_kv_head,n_embd,n_expanded_embd,use_gated_mlp\n" +
                   cells + "\n",
               ""},
        table(dsl::read_csv(source, diagnostics)),
        block(read_vidur_block(TableColumns(table, diagnostics), 0)) {}

  dsl::Diagnostics diagnostics;
  dsl::Source source;
  dsl::CsvTable table;
  std::optional<VidurBlock> block;
};

}  // namespace

TEST_CASE("a block has the sizes of its row") {
  const ReadBlock read("128,2,32,8,4096,14336,True");
  REQUIRE(read.block);
  CHECK(read.block->head_dim == 128);
  CHECK(read.block->workers == 2);
  CHECK(read.block->ffn == 14336);
  CHECK(read.block->gated);
  CHECK(ReadBlock("1,6,6,6,6,24,False").block.has_value());  // as many workers as columns
}

TEST_CASE("a row whose GEMMs would be empty is refused at the cell that makes them so") {
  const struct {
    const char* cells;
    const char* message;
    int column;
  } rows[] = {
      {"1,1,3280,94,6,24,False", "3280 heads do not divide an n_embd of 6", 5},
      {"1,1,4,4,6,24,False", "4 heads do not divide an n_embd of 6", 5},
      {"1,1,6,94,6,24,False", "94 KV heads for 6 heads", 7},
      {"1,7,6,6,6,24,False", "7 workers cannot share 6 columns", 3},
      {"1,5,6,6,6,4,False", "5 workers cannot share 4 columns", 3},
      {"1,1,0,6,6,24,False", "expected 'n_head' above zero, got 0", 5},
      {"1,1,6,6,6,24,maybe", "expected", 14},
  };
  for (const auto& r : rows) {
    INFO(std::string(r.cells));
    const ReadBlock read(r.cells);
    CHECK_FALSE(read.block);
    REQUIRE(read.diagnostics.list.size() == 1);
    CHECK(read.diagnostics.list[0].message.starts_with(r.message));
    CHECK(read.diagnostics.list[0].span.column == r.column);
    CHECK(read.diagnostics.list[0].span.line == 2);
  }
}
