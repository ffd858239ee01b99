// What a layer moves through the memory, fused and not: conserved but for what fusing saves.

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "planner/plan/ops.h"
#include "tests/planner/sample.h"

using planner::OperatorRow;
using sample::Sets;
using sample::operator+;

namespace {

constexpr const char* kText = R"(
model: {layers: 2, hidden: 3072, heads: 32, vocab: 1024, dropout: 0}
job: {sequence: 1024, global_batch: parallelism.microbatch, precision: fp16}
cluster: {use: t3-ring, gpus: parallelism.tp}
software: {use: pati-fused, attention: unfused}
parallelism: {tp: 8, microbatch: 16}
)";

std::vector<OperatorRow> rows(const std::string& way, const Sets& more = {}) {
  return planner::operator_rows(sample::scenario(kText, Sets{"software.fused_collectives=" + way} + more));
}

struct Sum {
  double read = 0, written = 0, waited = 0;
};
template <class Of> Sum sum(const std::vector<OperatorRow>& all, Of of) {
  Sum s;
  for (const OperatorRow& r : all) {
    if (!of(r)) continue;
    s.read += r.count * r.dram_read;
    s.written += r.count * r.dram_written;
    s.waited += r.count * r.waited;
  }
  return s;
}

const auto kAll = [](const OperatorRow&) { return true; };
const auto kLayer = [](const OperatorRow& r) { return r.layer == "layer"; };

}  // namespace

TEST_CASE("halves of an all-reduce move what it moves, and an overlap without hardware moves the same") {
  const Sum none = sum(rows("none"), kAll), ideal = sum(rows("ideal"), kAll), split = sum(rows("cu-split"), kAll);
  CHECK(ideal.read == doctest::Approx(none.read));
  CHECK(ideal.written == doctest::Approx(none.written));
  CHECK(split.read == doctest::Approx(none.read));
  CHECK(split.written == doctest::Approx(none.written));
}

// Section 8.5.2: of each of four sums N + 1 chunks of reads are saved, and of the writes two; the all-gather is as
// before.
TEST_CASE("fusing saves the chunks that it says, and the GEMMs' reads do not grow") {
  for (int tp : {8, 16, 32}) {
    CAPTURE(tp);
    const Sets ranks{"parallelism.tp=" + std::to_string(tp)};
    const auto before = rows("ideal", ranks), after = rows("t3", ranks);
    const double chunk = 2.0 * 16384 * 3072 / tp, layers = 2, sums = 4;
    const auto collectives = [](const OperatorRow& r) { return r.op_class == "communication" && kLayer(r); };
    const auto gemms = [](const OperatorRow& r) { return r.kind == "gemm" && kLayer(r); };
    const Sum moved = sum(before, collectives), fused = sum(after, collectives);
    CHECK(moved.read - fused.read == doctest::Approx(layers * sums * (tp + 1) * chunk));
    const double written = sum(before, kLayer).written - sum(after, kLayer).written;
    CHECK(written == doctest::Approx(layers * sums * 2 * chunk));
    CHECK(sum(after, gemms).read <= sum(before, gemms).read * (1 + 1e-12));
  }
}

TEST_CASE("what is neither a GEMM nor a collective moves what its cost says") {
  for (const OperatorRow& r : rows("t3")) {
    if (r.kind == "gemm" || r.op_class == "communication") continue;
    CHECK(r.dram_read == r.bytes_read);
    CHECK(r.dram_written == r.bytes_written);
  }
}

TEST_CASE("what the step waits for is its breakdown") {
  for (const char* way : {"none", "ideal", "ideal-nmc", "t3", "t3-mca", "cu-split"}) {
    CAPTURE(way);
    const planner::Plan plan =
        sample::plan(sample::scenario(kText, {std::string("software.fused_collectives=") + way}));
    const auto& b = *plan.breakdown;
    const double waited = sum(rows(way), kAll).waited;
    CHECK(waited == doctest::Approx(b.forward + b.backward + b.optimizer + b.serialized_comm + b.exposed_comm));
  }
}

TEST_CASE("rows say which collectives are fused, and without any none is") {
  const auto count = [](const std::vector<OperatorRow>& all) {
    return std::ranges::count_if(all, [](const OperatorRow& r) { return r.fused && kLayer(r); });
  };
  CHECK(count(rows("none")) == 0);
  CHECK(count(rows("t3-mca")) == 4);
}

// Section 8.6.1: between fully connected ranks no byte of a sum is read, and each byte of a result is stored once.
TEST_CASE("between fully connected ranks the GEMM's stores are all that a sum moves") {
  const Sets linked{"cluster.network[0].wiring=fully-connected"};
  const auto before = rows("ideal", linked), after = rows("t3", linked);
  const auto scatters = [](const OperatorRow& r) {
    return r.op_class == "communication" && r.name.ends_with("-scatter");
  };
  CHECK(sum(after, scatters).read == 0);
  const double chunk = 2.0 * 16384 * 3072 / 8, layers = 2, sums = 4;
  const double written = sum(before, kLayer).written - sum(after, kLayer).written;
  CHECK(written == doctest::Approx(layers * sums * 8 * chunk));  // 16 of GEMM and kernels, 8 left
}
