// What a thread remembers of tuned kernels changes none of them.
#include "operator_models/shared_device.h"

#include <doctest/doctest.h>

#include <functional>
#include <thread>

namespace {

using namespace operator_models;

struct TunedMachine {
  hw_profiles::Accelerator gpu;
  Calibration calibration;
  Gemm gemm{.m = 2048, .n = 1536, .k = 4096};
  Share share;
};

GemmKernel tuned(const TunedMachine& machine) {
  const Device device{.gpu = &machine.gpu, .calibration = &machine.calibration};
  return SharedDevice(device).tuned(machine.gemm, machine.share);
}

/// By a thread that has tuned nothing yet.
GemmKernel tuned_anew(const TunedMachine& machine) {
  GemmKernel kernel;
  std::thread([&] { kernel = tuned(machine); }).join();
  return kernel;
}

TunedMachine machine() {
  TunedMachine m;
  m.gpu.flops.bf16 = dsl::FlopsPerSecond{300e12};
  m.gpu.memory_bandwidth = dsl::BytesPerSecond{2e12};
  m.gpu.cache = dsl::Bytes{8 << 20};
  m.gpu.local_store = dsl::Bytes{128 << 10};
  m.gpu.compute_units = 104;
  return m;
}

}  // namespace

TEST_CASE("whatever a kernel depends on is part of what its choice is remembered by") {
  const std::function<void(TunedMachine&)> changes[] = {
      [](TunedMachine& m) { m.gemm.m = 40; },
      [](TunedMachine& m) { m.gemm.k = 1 << 20, m.gemm.m = m.gemm.n = 128; },
      [](TunedMachine& m) { m.gemm.a_bytes = 8; },
      [](TunedMachine& m) { m.gpu.local_store = dsl::Bytes{16 << 10}; },
      [](TunedMachine& m) { m.gpu.compute_units = 8; },
      [](TunedMachine& m) { m.gpu.memory_bandwidth = dsl::BytesPerSecond{2e10}; },
      [](TunedMachine& m) { m.gpu.cache = dsl::Bytes{1 << 10}, m.calibration.concurrency.thrash = 50; },
      [](TunedMachine& m) {
        m.calibration.concurrency.tiles = {16, 32};
      },
      [](TunedMachine& m) { m.calibration.concurrency.depths = {64}; },
      [](TunedMachine& m) {
        m.calibration.concurrency.hide = {0.1, 1};
      },
      [](TunedMachine& m) { m.calibration.concurrency.cache_rate = 0.01; },
      [](TunedMachine& m) { m.share.compute_units = 0.05; },
  };
  const GemmKernel before = tuned(machine());
  int differ = 0;
  for (const auto& change : changes) {
    TunedMachine changed = machine();
    change(changed);
    const GemmKernel now = tuned(changed);
    CHECK(now == tuned_anew(changed));
    differ += now == before ? 0 : 1;
  }
  CHECK(differ > 6);  // the changes are such that most kernels are others
}
