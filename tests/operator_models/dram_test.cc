// Bytes behind the cache: collectives step by step, GEMMs at both ends.
#include "operator_models/dram.h"

#include <doctest/doctest.h>

#include "tests/operator_models/devices.h"

using operator_models::Collective;
using operator_models::CollectiveKind;
using operator_models::dram_of;
using operator_models::DramBytes;
using operator_models::Gemm;
using operator_models::MovedBy;

namespace {

Collective ring(CollectiveKind kind, int64_t ranks) {
  return {.kind = kind, .bytes = {static_cast<double>(ranks)}, .group = {.ranks = ranks, .inside = {ranks}}};
}

/// A rank of a ring, in chunks: figure 2.9 and figure 8.8a of Pati 2024.
DramBytes counted_by_steps(int64_t ranks) {
  DramBytes sum;
  for (int64_t step = 1; step < ranks; ++step) {
    sum.read += step == 1 ? 1 : 2;  // what it sends: its own chunk, or that and the sum that came
    sum.written += 1;               // what comes
  }
  sum.read += 2;  // the last sum
  sum.written += 1;
  return sum;
}

/// The same where the GEMM's stores and DMA update the memory: figure 8.8b.
DramBytes counted_by_updates(int64_t ranks) {
  DramBytes sum;
  for (int64_t step = 1; step < ranks; ++step) {
    sum.read += step == 1 ? 0 : 1;  // DMA reads the sum; the first chunk was stored at the neighbour
    sum.written += 1;
  }
  return sum;
}

test::Machine t3() { return test::machine({"t3-gpu", "t3-gpu", 75e9, 25e9, false}); }

}  // namespace

TEST_CASE("a ring's reads and writes are those of its steps") {
  for (int64_t ranks : {2, 3, 8, 16, 32}) {
    CAPTURE(ranks);
    const DramBytes kernels = dram_of(ring(CollectiveKind::reduce_scatter, ranks)), steps = counted_by_steps(ranks);
    CHECK(kernels.read == steps.read);
    CHECK(kernels.written == steps.written);
    const DramBytes fused = dram_of(ring(CollectiveKind::reduce_scatter, ranks), MovedBy::ring_of_stores),
                    updates = counted_by_updates(ranks);
    CHECK(fused.read == updates.read);
    CHECK(fused.written == updates.written);
  }
}

// Section 8.5.2: reads 2.5 and 2.2 times fewer, writes of GEMM and reduce-scatter 14 and 7 %.
TEST_CASE("the ratios that follow from the steps alone") {
  const auto reads = [](int64_t n) {
    return dram_of(ring(CollectiveKind::reduce_scatter, n)).read /
           dram_of(ring(CollectiveKind::reduce_scatter, n), MovedBy::ring_of_stores).read;
  };
  CHECK(reads(8) == 15.0 / 6);
  CHECK(reads(16) == 31.0 / 14);
  const Gemm gemm{.m = 1024, .n = 1024, .k = 64};
  const test::Machine m = t3();
  for (double n : {8.0, 16.0}) {
    Collective scatter = ring(CollectiveKind::reduce_scatter, static_cast<int64_t>(n));
    scatter.bytes = {2.0 * 1024 * 1024};
    const double before = dram_of(gemm, m.device()).written + dram_of(scatter).written;
    const double after = dram_of(gemm, m.device(), {n}).written + dram_of(scatter, MovedBy::ring_of_stores).written;
    CHECK(before / after == doctest::Approx(n / (n - 1)));
  }
}

TEST_CASE("an all-reduce moves what its halves move, and one rank nothing") {
  for (int64_t ranks : {2, 8, 32}) {
    const DramBytes all = dram_of(ring(CollectiveKind::all_reduce, ranks)),
                    first = dram_of(ring(CollectiveKind::reduce_scatter, ranks)),
                    second = dram_of(ring(CollectiveKind::all_gather, ranks));
    CHECK(all.read == first.read + second.read);
    CHECK(all.written == first.written + second.written);
    CHECK(second.read == static_cast<double>(ranks - 1));
    CHECK(second.written == second.read);
  }
  CHECK(dram_of(ring(CollectiveKind::all_reduce, 1)).read == 0);
}

TEST_CASE("a GEMM reads its operands once where they fit, never less, and less where no store takes the cache") {
  const test::Machine m = t3();
  for (const Gemm& gemm : {Gemm{.m = 16384, .n = 3072, .k = 192}, Gemm{.m = 8192, .n = 4256, .k = 2128},
                           Gemm{.m = 2048, .n = 18432, .k = 2304}, Gemm{.batch = 3, .m = 8192, .n = 8192, .k = 8192}}) {
    const double k = static_cast<double>(gemm.batch * gemm.k);
    const double once = 2 * k * static_cast<double>(gemm.m + gemm.n);
    const DramBytes cached = dram_of(gemm, m.device()), stored = dram_of(gemm, m.device(), {8});
    CHECK(cached.read >= once);
    CHECK(stored.read >= once);
    CHECK(stored.read <= cached.read);
    CHECK(stored.written == doctest::Approx(cached.written * 7 / 8));
    test::Machine larger = m;
    larger.gpu.cache = larger.gpu.cache * 64;
    CHECK(dram_of(gemm, larger.device()).read == doctest::Approx(once));
  }
  CHECK(dram_of(Gemm{.m = 16384, .n = 3072, .k = 192}, m.device()).read == 2.0 * 192 * (16384 + 3072));
  const Gemm adds{.m = 64, .n = 64, .k = 64, .c_bytes = 4, .accumulate = true};
  CHECK(dram_of(adds, m.device()).read == 2 * 2 * 64 * 64 + 4 * 64 * 64);
}

// Section 8.6.1: "T3 eliminates memory accesses by the collective".
TEST_CASE("what goes straight to its owner is read by nobody, and every byte that a rank makes is stored once") {
  const test::Machine m = t3();
  const Gemm gemm{.m = 1024, .n = 1024, .k = 64};
  for (const CollectiveKind kind : {CollectiveKind::reduce_scatter, CollectiveKind::all_to_all})
    for (int64_t ranks : {2, 8, 16}) {
      CAPTURE(ranks);
      Collective op = ring(kind, ranks);
      op.bytes = {2.0 * 1024 * 1024};
      const DramBytes moved = dram_of(op, MovedBy::straight_stores);
      CHECK(moved.read == 0);
      const double stored = dram_of(gemm, m.device(), {static_cast<double>(ranks), true}).written + moved.written;
      CHECK(stored == doctest::Approx(op.bytes.value));
    }
}

TEST_CASE("stages walk along n: a long row of tiles has its operand read again, a short one stays") {
  const test::Machine m = t3();
  const auto read = [&](int64_t rows, int64_t columns) {
    return dram_of(Gemm{.m = rows, .n = columns, .k = 1024}, m.device()).read;
  };
  const double once = 2.0 * 1024 * (2048 + 65536);
  CHECK(read(65536, 2048) == doctest::Approx(once));
  CHECK(read(2048, 65536) > 2 * once);
}
