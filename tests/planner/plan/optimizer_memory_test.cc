// Bytes that optimizers keep, by their rows.
#include <doctest/doctest.h>

#include "planner/plan/memory.h"
#include "tests/planner/sample.h"

using planner::StageMemory;
using sample::llama;
using sample::near;
using sample::operator+;
using sample::Sets;

namespace {

StageMemory stage(const Sets& sets) {
  const planner::Scenario s =
      llama(sets + Sets{"cluster.host.bandwidth=32 GB/s", "cluster.host.memory_bandwidth=100 GB/s"});
  return planner::make_memory(s, sample::workload(s)).stages.front();
}
Sets with(const std::string& optimizer) { return {"job.optimizer=" + optimizer}; }

constexpr double kH = 1024, kKv = 256, kF = 2816;
constexpr double kMatrices = 8 * (2 * kH * kH + 2 * kKv * kH + 3 * kF * kH), kRest = 2 * 32000 * kH + 17 * kH;

}  // namespace

TEST_CASE("states take the place of Adam's two; masters stay") {
  struct Row {
    const char* optimizer;
    double of_matrices, of_rest;  // of a parameter, beside the master
  };
  for (const Row& row :
       {Row{"adam", 8, 8}, Row{"muon", 4, 8}, Row{"muon-clip", 4, 8}, Row{"adam-8bit", 2.03125, 2.03125},
        Row{"paged-adam", 8, 8}, Row{"paged-adam-8bit", 2.03125, 2.03125}}) {
    INFO(row.optimizer);
    const double bytes = (4 + row.of_matrices) * kMatrices + (4 + row.of_rest) * kRest;
    CHECK(near(stage(with(row.optimizer)).optimizer, bytes));
    // Eight data ranks share it.
    CHECK(near(stage(with(row.optimizer) + Sets{"parallelism.zero=1"}).optimizer, bytes / 8));
  }
}

TEST_CASE("Adafactor keeps a word for each row and column") {
  const double lines = 8 * (2 * (kH + kH) + 2 * (kH + kKv) + (kH + 2 * kF) + (kF + kH));
  CHECK(near(stage(with("adafactor")).optimizer, 4 * (kMatrices + kRest) + 4 * lines));
}

TEST_CASE("SOAP keeps two squares for each side") {
  const double squares = 8 * (4 * kH * kH + 2 * (kH * kH + kKv * kKv) + (kH * kH + 4 * kF * kF) + (kH * kH + kF * kF));
  for (const char* optimizer : {"soap", "shampoo"})
    CHECK(near(stage(with(optimizer)).optimizer, 12 * (kMatrices + kRest) + 8 * squares));
}

TEST_CASE("pages of states live on the host, masters do not, and the GPU updates them") {
  const Sets half{"parallelism.offload.optimizer=0.5"};
  const StageMemory here = stage(with("paged-adam")), paged = stage(with("paged-adam") + half);
  const double states = 8 * (kMatrices + kRest);
  CHECK(near(here.optimizer - paged.optimizer, states / 2));
  CHECK(near(paged.host, states / 2));
  const auto ops = sample::workload(llama(with("paged-adam") + half)).classes.front().step_ops;
  for (const char* way : {"offload.pages-in", "offload.pages-out"})
    CHECK(std::get<operator_models::HostCopy>(sample::only(ops, way, planner::StepPhase::optimizer).op).bytes.value ==
          doctest::Approx(states / 2));
  for (const planner::WorkOp& op : ops) CHECK(!std::holds_alternative<operator_models::HostUpdate>(op.op));
}
