// The optimizer near memory: which kernels leave the GPU, what still moves, and how much faster a step becomes.
#include <doctest/doctest.h>

#include <algorithm>

#include "planner/plan/ops.h"
#include "tests/planner/sample.h"

using operator_models::NearUpdate;
using operator_models::Update;
using planner::OperatorRow;
using planner::Scenario;
using sample::gpt;
using sample::Sets;
using sample::operator+;

namespace {

const Sets kUnits{"cluster.gpu.near_memory={use: hbm2-bank-units}"},
    kNear = kUnits + Sets{"software.optimizer_on=near-memory"};

std::vector<OperatorRow> optimizer(const Scenario& s) {
  std::vector<OperatorRow> rows = planner::operator_rows(s);
  std::erase_if(rows, [](const OperatorRow& r) { return r.sublayer != "optimizer"; });
  return rows;
}

double sum(const std::vector<OperatorRow>& rows, double (*of)(const OperatorRow&)) {
  double total = 0;
  for (const OperatorRow& r : rows) total += r.count * of(r);
  return total;
}
double moved(const OperatorRow& r) { return r.bytes_read + r.bytes_written; }
double near_bytes(const OperatorRow& r) { return r.near_bytes; }
double seconds(const OperatorRow& r) { return r.seconds; }

}  // namespace

TEST_CASE("units that nobody uses change no figure of a plan") {
  CHECK(sample::plan(gpt(kUnits)).step->seconds == sample::plan(gpt()).step->seconds);
}

TEST_CASE("every optimizer's bytes move near memory, none is lost and none is added") {
  for (const char* optimizer_is : {"job.optimizer=adam", "job.optimizer=lamb", "job.optimizer=sgd"})
    for (const char* zero : {"parallelism.zero=0", "parallelism.zero=1"}) {
      CAPTURE(std::string(optimizer_is));
      CAPTURE(std::string(zero));
      const Sets sets{optimizer_is, zero};
      const auto on_gpu = optimizer(gpt(kUnits + sets)), near = optimizer(gpt(kNear + sets));
      CHECK(sum(near, near_bytes) == doctest::Approx(sum(on_gpu, moved)));
      CHECK(sum(on_gpu, near_bytes) == 0);
      CHECK(sum(near, moved) < 0.01 * sum(on_gpu, moved));
      CHECK(sum(near, seconds) < sum(on_gpu, seconds));
      CHECK(std::ranges::all_of(near, [](const OperatorRow& r) { return r.kind == "near-update"; }));
    }
}

TEST_CASE("the GPU may keep the norm over all gradients, which it reads once") {
  const Sets lamb{"job.optimizer=lamb", "software.optimizer_extra_bytes=0",
                  "software.optimizer_on=near-memory-but-norm"};
  const auto rows = optimizer(gpt(kUnits + lamb));
  const double parameters = sample::workload(gpt()).classes.front().trained.sum();
  for (const OperatorRow& r : rows)
    CHECK((r.kind == "near-update") == (r.name != "lamb.global-norm" && r.name != "optimizer.norm-and-scale"));
  CHECK(sum(rows, moved) == doctest::Approx(4 * parameters).epsilon(0.02));
}

TEST_CASE("sharded states leave each rank's units a share") {
  const auto update = [](const Scenario& s) {
    const planner::Workload workload = sample::workload(s);
    for (const planner::WorkOp& op : workload.classes.front().step_ops)
      if (const auto* near = std::get_if<NearUpdate>(&op.op); near && near->update.algorithm == "adam")
        return near->update.parameters;
    return 0.0;
  };
  CHECK(update(gpt(kNear)) == doctest::Approx(8 * update(gpt(kNear + Sets{"parallelism.zero=1"}))));
}

TEST_CASE("states on the host are updated there, and the rest near memory") {
  const Sets host{"cluster.host={bandwidth: 20 GB/s, memory: 1 TB, memory_bandwidth: 400 GB/s}",
                  "parallelism.offload.optimizer=0.25"};
  double on_host = 0, near = 0;
  const planner::Workload workload = sample::workload(gpt(kNear + host));
  for (const planner::WorkOp& op : workload.classes.front().step_ops) {
    if (const auto* h = std::get_if<operator_models::HostUpdate>(&op.op)) on_host += h->update.parameters;
    if (const auto* n = std::get_if<NearUpdate>(&op.op); n && n->update.algorithm == "adam")
      near += n->update.parameters;
    CHECK(!std::holds_alternative<Update>(op.op));
  }
  CHECK(near == doctest::Approx(3 * on_host));
}

TEST_CASE("an optimizer without fused kernels launches one for each operation and tensor, and moves more") {
  const auto adam = [](const Sets& sets) { return optimizer(gpt(sets)); };
  const auto fused = adam({}), unfused = adam({"software.fusion.optimizer=false"});
  CHECK(sum(unfused, moved) > 2.5 * sum(fused, moved));
  const auto launches = [](const Scenario& s) {
    const planner::Workload workload = sample::workload(s);
    for (const planner::WorkOp& op : workload.classes.front().step_ops)
      if (const auto* u = std::get_if<Update>(&op.op)) return u->kernels;
    return int64_t{0};
  };
  const planner::StageClass stage = sample::workload(gpt()).classes.front();
  constexpr int64_t kMatrices = 8 * 6;  // of layers: only they have weight decay
  CHECK(launches(gpt({"software.fusion.optimizer=false"})) ==
        12 * static_cast<int64_t>(std::ceil(stage.tensors)) + 2 * kMatrices);
  CHECK(launches(gpt()) == 1);
  CHECK(launches(gpt({"software.optimizer_launch=1e6"})) == static_cast<int64_t>(std::ceil(stage.trained.sum() / 1e6)));
}
