// Traces on another machine: factors of kernels, copies and collectives, and what the graph makes of them.
#include "planner/replay/other_machine.h"

#include <doctest/doctest.h>

#include "planner/replay/priced_collectives.h"
#include "tests/planner/replay/machines.h"
#include "tests/planner/replay/replayed.h"

using namespace planner::replay;
using sample::KinetoText;
using sample::ranked;
using sample::Replay;

namespace {

const operator_models::Machine kHere = sample::machine(), kTwice = sample::machine(2);

std::string reduced(int64_t elements, int size = 2) {
  return R"("Collective name": "allreduce", "Process Group Name": "0", "dtype": "Float", "Group size": )" +
         std::to_string(size) + R"(, "In msg nelems": )" + std::to_string(elements);
}

/// "work basis factor" of the first event of a kind of work.
std::string first(const OtherMachine& other, KernelWork work) {
  for (const auto& rank : other.events)
    for (const Rescaled& event : rank)
      if (event.took_ns > 0 && event.work == work)
        return std::string(name_of(event.basis)) + " " + std::to_string(event.factor).substr(0, 5);
  return "none";
}

OtherMachine moved(const Replay& replay, const operator_models::Machine& to) {
  return rescale(replay.trace, replay.matched, {&kHere}, {&to});
}
std::string moved(const KinetoText& text, KernelWork work, const operator_models::Machine& to = kTwice) {
  return first(moved(Replay({text}), to), work);
}

}  // namespace

TEST_CASE("what limits a kind of work sets the factor of what has no shape") {
  operator_models::Machine memory = kHere, peak = kHere, link = kHere;
  memory.gpu.memory_bandwidth = {4e12};
  peak.gpu.flops.fp16 = dsl::FlopsPerSecond{400e12};
  link.host.bandwidth = {40e9};
  const KinetoText vector = KinetoText().kernel("triton_add", 7, 10, 5);
  const KinetoText matrix = KinetoText().kernel("volta_h884gemm", 7, 10, 5);
  CHECK(moved(vector, KernelWork::vector, memory) == "assumed 0.250");
  CHECK(moved(vector, KernelWork::vector, peak) == "assumed 1.000");
  operator_models::Machine reach = kHere;  // 0.75 where no row says what such kernels reach
  reach.calibration.vector["elementwise"].efficiency = 0.9375;
  CHECK(moved(vector, KernelWork::vector, reach) == "assumed 0.800");
  CHECK(moved(matrix, KernelWork::matrix, peak) == "assumed 0.250");
  CHECK(moved(matrix, KernelWork::matrix, memory) == "assumed 1.000");
  KinetoText copies;
  copies.event("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 0, "8", "5", "2", R"("stream": 8)");
  copies.event("gpu_memcpy", "Memcpy DtoD (Device -> Device)", 0, "8", "9", "2", R"("stream": 8)");
  copies.event("gpu_memcpy", "Memcpy PtoP (Device -> Device)", 0, "8", "12", "2", R"("stream": 8)");
  CHECK(moved(copies, KernelWork::host_copy, link) == "assumed 0.250");
  CHECK(moved(copies, KernelWork::device_copy, memory) == "assumed 0.250");
  CHECK(moved(copies, KernelWork::peer_copy, memory) == "kept 1.000");
  link.host.bandwidth = {};
  CHECK(moved(copies, KernelWork::host_copy, link) == "kept 1.000");  // the catalogue has no link
}

TEST_CASE("kernels with shapes take what the models say") {
  KinetoText text;
  text.event("cpu_op", "aten::mm", 100, "1", "5", "20",
             R"("Input Dims": [[4096, 4096], [4096, 4096]], "Input type": ["c10::Half", "c10::Half"])");
  text.kernel("volta_h884gemm", 7, 10, 1000);
  operator_models::Gemm gemm;
  gemm.m = gemm.n = gemm.k = 4096;
  gemm.precision = hw_profiles::Precision::fp16;
  const double here = operator_models::cost(gemm, device_of(kHere)).seconds.value;
  const double there = operator_models::cost(gemm, device_of(kTwice)).seconds.value;
  CHECK(there / here < 0.6);
  const std::string factor = std::to_string(there / here).substr(0, 5);
  CHECK(moved(text, KernelWork::matrix) == "shapes " + factor);
  operator_models::Machine unmeasured = kTwice;  // an assumed row is reported
  unmeasured.calibration.gemm["fp16"].provenance = operator_models::Provenance::assumed;
  CHECK(moved(text, KernelWork::matrix, unmeasured) == "assumed " + factor);
}

namespace {

/// When the only kernel of a trace ends on another machine.
int64_t end(const KinetoText& text, const operator_models::Machine& to) {
  const Replay replay({text});
  Replayed changed = replay.replayed;
  apply(moved(replay, to), changed);
  return run(changed.graph).value()[changed.ends[0]].end_ns;
}

}  // namespace

TEST_CASE("what an empty kernel takes is that of each machine, where a kernel has no shape") {
  operator_models::Machine slow = kTwice, none = kTwice;
  slow.calibration.empty_kernel = {3e-6};
  none.calibration.empty_kernel = {0};
  CHECK(end(KinetoText().kernel("triton_add", 7, 10, 100), slow) == 10'000 + 3'000 + 49'000);
  CHECK(end(KinetoText().kernel("triton_add", 7, 10, 100), none) == 10'000 + 49'000);
  CHECK(end(KinetoText().kernel("triton_add", 7, 10, 1), slow) == 11'500);  // shorter than an empty one here
  CHECK(end(KinetoText().kernel("gemm", 7, 10, 100), slow) == 10'000 + 3'000 + 49'000);
  CHECK(end(KinetoText().kernel("Memset (Device)", 7, 10, 100), slow) == 60'000);
}

TEST_CASE("what an empty kernel takes stays, where a kernel has no shape") {
  const auto end = [](const KinetoText& text) { return ::end(text, kTwice); };
  CHECK(end(KinetoText().kernel("triton_add", 7, 10, 100)) == 10'000 + 2'000 + 49'000);
  CHECK(end(KinetoText().kernel("triton_add", 7, 10, 1)) == 11'000);
  CHECK(end(KinetoText().kernel("gemm", 7, 10, 3)) == 12'500);
  CHECK(end(KinetoText().kernel("Memset (Device)", 7, 10, 100)) == 60'000);
}

TEST_CASE("the same machine changes nothing") {
  const Replay replay({ranked(0, 2).kernel("gemm", 7, 10, 50).kernel("nccl", 9, 100, 40, reduced(1 << 20)),
                       ranked(1, 2).kernel("gemm", 7, 10, 60).kernel("nccl", 9, 110, 30, reduced(1 << 20))});
  Replayed changed = replay.replayed;
  apply(moved(replay, kHere), changed);
  for (size_t i = 0; i < changed.graph.nodes.size(); ++i)
    CHECK(changed.graph.nodes[i].duration_ns == replay.replayed.graph.nodes[i].duration_ns);
  for (size_t i = 0; i < changed.graph.edges.size(); ++i)
    CHECK(changed.graph.edges[i].lag_ns == replay.replayed.graph.edges[i].lag_ns);
}

TEST_CASE("a transfer of several ranks takes the models' factor, and their waits follow") {
  // Rank 1 arrives 10 us later; both are done at 140 us, and nothing comes behind.
  const Replay replay({ranked(0, 2).kernel("nccl", 9, 100, 40, reduced(1 << 28)),
                       ranked(1, 2).kernel("nccl", 9, 110, 30, reduced(1 << 28))});
  const OtherMachine other = moved(replay, kTwice);
  REQUIRE(other.transfers.size() == 1);
  const auto seconds = [&](const operator_models::Machine& machine) {
    return predicted_time(operator_of(replay.matched.collectives[0], replay.trace, {&machine}), device_of(machine))
        .value()
        .seconds;
  };
  CHECK(other.transfers[0] == doctest::Approx(seconds(kTwice) / seconds(kHere)));
  CHECK(first(other, KernelWork::collective).starts_with("shapes 0.5"));
  Replayed changed = replay.replayed;
  apply(other, changed);
  const auto runs = run(changed.graph).value();
  for (const uint32_t end : changed.ends)
    CHECK(runs[end].end_ns == doctest::Approx(110'000 + 30'000 * other.transfers[0]).epsilon(1e-4));
}

TEST_CASE("of one rank alone only what is predicted changes: the rest is its wait") {
  const Replay replay({ranked(0, 2).kernel("nccl", 9, 100, 1'000'000, reduced(1 << 20))});
  const OtherMachine other = moved(replay, kTwice);
  const double here =
      predicted_time(operator_of(replay.matched.collectives[0], replay.trace, {&kHere}), device_of(kHere))->seconds;
  Replayed changed = replay.replayed;
  apply(other, changed);
  const auto runs = run(changed.graph).value();
  const double saved = here * 1e9 * (1 - other.transfers[0]);
  CHECK(saved > 1000);
  CHECK(runs[changed.ends[0]].end_ns == doctest::Approx(1'000'100'000 - saved));
}

TEST_CASE("collectives whose bytes nobody says go by the network") {
  operator_models::Machine fabric = kHere;
  fabric.network[1].bandwidth = {40e9};
  const KinetoText all = ranked(0, 8).kernel("ncclKernel_AllReduce", 9, 100, 40);
  CHECK(moved(all, KernelWork::collective, fabric) == "assumed 0.250");
  const KinetoText node = ranked(0, 4).kernel("ncclKernel_AllReduce", 9, 100, 40);
  CHECK(moved(node, KernelWork::collective, fabric) == "assumed 1.000");
  fabric.network.clear();
  CHECK(moved(all, KernelWork::collective, fabric) == "kept 1.000");
}

TEST_CASE("shares of device time sum to it, without waits for other ranks") {
  const Replay replay({ranked(0, 2).kernel("triton", 7, 10, 50).kernel("nccl", 9, 100, 40, reduced(1 << 20)),
                       ranked(1, 2).kernel("triton", 7, 10, 60).kernel("nccl", 9, 110, 30, reduced(1 << 20))});
  double took = 0, becomes = 0;
  for (const WorkShare& share : shares_of(moved(replay, kTwice))) {
    CHECK(share.events == 2);
    took += share.took_ns;
    becomes += share.becomes_ns;
  }
  CHECK(took == doctest::Approx(170'000));
  CHECK(becomes < 0.6 * took);
  CHECK(shares_of(OtherMachine{}).empty());
}
