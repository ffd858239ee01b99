// GEMMs side by side: the local model against waves that are counted one workgroup at a time, and what must hold of
// every policy (Pati 2024, chapter 7).
#include "operator_models/concurrency.h"

#include <rapidcheck.h>

#include <cmath>
#include <queue>

#include "tests/operator_models/devices.h"

using operator_models::Concurrency;
using operator_models::Concurrent;
using operator_models::Gemm;
using operator_models::GemmKernel;
using operator_models::GemmPass;
using operator_models::SharedDevice;
using test::Machine;

namespace {

Gemm product(int64_t m, int64_t n, int64_t k, GemmPass pass = GemmPass::forward) {
  return {.m = m, .n = n, .k = k, .pass = pass};
}

/// A device on which nothing is shared but compute units: no cache misses again, a unit is as fast with one workgroup.
Machine plain() {
  Machine m = test::machine(test::kA100);
  m.calibration.concurrency.thrash = 0;
  m.calibration.concurrency.hide = {1};
  for (auto& [name, row] : m.calibration.gemm) row.tail = 1, row.overlap = 50;
  m.gpu.memory_bandwidth = m.gpu.memory_bandwidth * 1e6;
  return m;
}

Concurrent run(const Machine& m, const std::vector<Gemm>& gemms, Concurrency policy) {
  const operator_models::Device device = m.device();
  return operator_models::run_concurrently(gemms, policy, device);
}
Concurrent alike(const Machine& m, const Gemm& g, int64_t count, Concurrency policy) {
  return run(m, std::vector<Gemm>(static_cast<size_t>(count), g), policy);
}

Gemm any_gemm() {
  const auto size = [] { return int64_t{64} << *rc::gen::inRange(0, 7); };
  return product(size(), size(), size(), static_cast<GemmPass>(*rc::gen::inRange(0, 3)));
}

/// Greedy waves: each workgroup goes to the unit that is free first.
double simulated(double units, double workgroups, double each) {
  std::priority_queue<double, std::vector<double>, std::greater<>> free;
  for (double u = 0; u < units; ++u) free.push(0);
  double last = 0;
  for (double w = 0; w < workgroups; ++w) {
    const double end = free.top() + each;
    free.pop();
    free.push(end);
    last = std::max(last, end);
  }
  return last;
}

}  // namespace

TEST_CASE("one GEMM has the device to itself whatever the policy") {
  const Machine m = test::machine(test::kA100);
  for (const Concurrency policy : {Concurrency::sequential, Concurrency::greedy, Concurrency::go, Concurrency::oracle,
                                   Concurrency::cu_partition, Concurrency::resource_partition}) {
    const Concurrent one = alike(m, product(1024, 1024, 1024), 1, policy);
    CHECK(one.gain == doctest::Approx(1));
    CHECK(one.degree == 1);
    CHECK(one.rounds == 1);
  }
}

TEST_CASE("without anything to share but units, GEMMs alike take the waves of all their workgroups") {
  const Machine m = plain();
  const operator_models::Device device = m.device();
  const SharedDevice shared(device);
  const auto units = static_cast<double>(m.gpu.compute_units);
  for (const int64_t size : {512, 1024, 2048}) {
    const Gemm g = product(size, size, 4096);
    const GemmKernel kernel = shared.tuned(g);
    const double workgroups = shared.counts(g, kernel).workgroups;
    const double alone = shared.seconds({&g, 1}, {&kernel, 1});
    const double each = alone / std::ceil(workgroups / units);
    for (const int64_t count : {1, 2, 3, 8}) {
      const std::vector<Gemm> gemms(static_cast<size_t>(count), g);
      const std::vector<GemmKernel> kernels(gemms.size(), kernel);
      CHECK(shared.seconds(gemms, kernels) ==
            doctest::Approx(simulated(units, workgroups * static_cast<double>(count), each)).epsilon(0.01));
    }
  }
}

TEST_CASE("an oracle is never behind kernels tuned for the number, nor these behind the default") {
  const Machine m = test::machine(test::kA100);
  CHECK(rc::check([&] {
    const Gemm g = any_gemm();
    const int64_t count = int64_t{1} << *rc::gen::inRange(0, 5);
    const double by_default = alike(m, g, count, Concurrency::greedy).gain,
                 go = alike(m, g, count, Concurrency::go).gain, oracle = alike(m, g, count, Concurrency::oracle).gain;
    RC_ASSERT(go >= by_default * (1 - 1e-9));
    RC_ASSERT(oracle >= 1 - 1e-9);
    RC_ASSERT(oracle >= std::min(go, 1.0) - 1e-9);
    RC_ASSERT(go < 1.05 || oracle >= go * (1 - 1e-9));
  }));
}

TEST_CASE("GEMMs together take no longer with more of the device") {
  const Machine m = test::machine(test::kA100);
  CHECK(rc::check([&] {
    const Gemm g = any_gemm();
    const std::vector<Gemm> gemms(static_cast<size_t>(*rc::gen::inRange(1, 9)), g);
    const operator_models::Device device = m.device();
    const SharedDevice shared(device);
    const GemmKernel kernel = shared.tuned(g);
    const std::vector<GemmKernel> kernels(gemms.size(), kernel);
    const double before = shared.seconds(gemms, kernels);
    Machine larger = m;
    larger.gpu.cache = 2 * larger.gpu.cache;
    larger.gpu.memory_bandwidth = 1.5 * larger.gpu.memory_bandwidth;
    const operator_models::Device other = larger.device();
    RC_ASSERT(SharedDevice(other).seconds(gemms, kernels) <= before * (1 + 1e-9));
    RC_ASSERT(shared.seconds(gemms, kernels, {.compute_units = 0.5}) >= before * (1 - 1e-9));
    RC_ASSERT(shared.seconds(gemms, kernels, {.cache = 0.5}) >= before * (1 - 1e-9));
    RC_ASSERT(shared.seconds(gemms, kernels, {.bandwidth = 0.5}) >= before * (1 - 1e-9));
  }));
}

TEST_CASE("more GEMMs together take longer, and never less than one of them") {
  const Machine m = test::machine(test::kA100);
  CHECK(rc::check([&] {
    const Gemm g = any_gemm();
    const operator_models::Device device = m.device();
    const SharedDevice shared(device);
    const GemmKernel kernel = shared.tuned(g);
    double last = 0;
    for (size_t count = 1; count <= 8; ++count) {
      const double seconds = shared.seconds(std::vector<Gemm>(count, g), std::vector<GemmKernel>(count, kernel));
      RC_ASSERT(seconds >= last * (1 - 1e-9));
      last = seconds;
    }
  }));
}

TEST_CASE("a partition of memory too is each GEMM alone on its part") {
  const Machine m = test::machine(test::kA100);
  const Gemm g = product(1024, 1024, 1024);
  const operator_models::Device device = m.device();
  const SharedDevice shared(device);
  const GemmKernel kernel = shared.tuned(g);
  const double alone = shared.seconds({&g, 1}, {&kernel, 1});
  const double part = shared.seconds({&g, 1}, {&kernel, 1}, {.compute_units = 0.5, .cache = 0.5, .bandwidth = 0.5});
  CHECK(alike(m, g, 2, Concurrency::resource_partition).gain == doctest::Approx(2 * alone / part));
}
