// GEMMs side by side: the local model against waves that are counted one workgroup at a time, and what must hold of
// every policy (Pati 2024, chapter 7).
#include "operator_models/concurrency.h"

#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <queue>

#include "operator_models/predictor.h"
#include "tests/operator_models/devices.h"

using operator_models::Concurrency;
using operator_models::Concurrent;
using operator_models::Gemm;
using operator_models::GemmKernel;
using operator_models::GemmPass;
using operator_models::SharedDevice;
using operator_models::StreamEnds;
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

/// Seconds of a kernel of each stream, where each stream runs `rounds` of them and none starts before the one before it
/// has ended. A unit takes the next workgroup of the kernel that has waited longest.
double simulated_streams(size_t units, int64_t workgroups, size_t streams, int rounds, double each) {
  struct Stream {
    double ready = 0, ends = 0;
    int64_t left = 0;
    int kernels = 0;
  };
  std::vector<Stream> all(streams, {.left = workgroups});
  std::vector<double> free(units, 0);
  const auto waits = [&](const Stream& x) { return x.kernels < rounds ? x.ready : 1e300; };
  for (int64_t w = 0; w < workgroups * rounds * static_cast<int64_t>(streams); ++w) {
    Stream& next = *std::ranges::min_element(all, {}, waits);
    double& unit = *std::ranges::min_element(free);
    unit = std::max(unit, next.ready) + each;
    next.ends = std::max(next.ends, unit);
    if (--next.left == 0)
      next = {.ready = next.ends, .ends = next.ends, .left = workgroups, .kernels = next.kernels + 1};
  }
  return std::ranges::max(free) / rounds;
}

}  // namespace

/// A predictor that says the same of every GEMM.
operator_models::DegreePredictor always(size_t degree) {
  constexpr size_t kFeatures = operator_models::kPredictorFeatures;
  operator_models::DegreePredictor p{
      .device = "", .least = std::vector(kFeatures, 0.0), .most = std::vector(kFeatures, 1.0)};
  p.weights.assign(operator_models::kDegrees.size() * (kFeatures + 1), 0);
  p.weights[(degree + 1) * (kFeatures + 1) - 1] = 1;
  return p;
}

TEST_CASE("one GEMM has the device to itself whatever the policy") {
  const Machine m = test::machine(test::kA100);
  for (const Concurrency policy :
       {Concurrency::sequential, Concurrency::greedy, Concurrency::go, Concurrency::oracle, Concurrency::cu_partition,
        Concurrency::resource_partition, Concurrency::cu_partition_go, Concurrency::resource_partition_go}) {
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

TEST_CASE("streams that run back to back leave no unit free behind the last wave of a kernel") {
  const Machine m = plain();
  const operator_models::Device device = m.device();
  const SharedDevice streamed(device, StreamEnds::back_to_back), joined(device);
  const GemmKernel kernel{.tile_m = 128, .tile_n = 128, .depth = 16};
  const auto units = static_cast<size_t>(m.gpu.compute_units);
  for (const int64_t rows : {128, 1024, 1664, 2048, 3072}) {  // 0.07 to 1.8 waves
    const Gemm g = product(rows, 1024, 4096);
    const auto workgroups = static_cast<int64_t>(streamed.counts(g, kernel).workgroups);
    const double alone = streamed.seconds({&g, 1}, {&kernel, 1});
    const double each = alone / std::ceil(static_cast<double>(workgroups) / static_cast<double>(units));
    CHECK(joined.seconds({&g, 1}, {&kernel, 1}) == alone);
    for (const size_t streams : {2, 3, 8}) {
      const std::vector<Gemm> gemms(streams, g);
      const std::vector<GemmKernel> kernels(streams, kernel);
      CAPTURE(rows);
      CAPTURE(streams);
      const double seconds = streamed.seconds(gemms, kernels);
      CHECK(seconds == doctest::Approx(simulated_streams(units, workgroups, streams, 16, each)).epsilon(0.13));
      CHECK(seconds <= joined.seconds(gemms, kernels) * (1 + 1e-12));
    }
  }
}

TEST_CASE("an oracle is never behind kernels tuned for the number, nor these behind the default") {
  const Machine m = test::machine(test::kA100);
  CHECK(rc::check([&] {
    const Gemm g = any_gemm();
    const int64_t count = *rc::gen::inRange(1, 17);
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

TEST_CASE("kernels that are tuned for a part of the device are never behind those for all of it") {
  const Machine m = test::machine(test::kA100);
  CHECK(rc::check([&] {
    const Gemm g = any_gemm();
    const int64_t count = int64_t{1} << *rc::gen::inRange(0, 4);
    const auto gain = [&](Concurrency policy) { return alike(m, g, count, policy).gain; };
    RC_ASSERT(gain(Concurrency::cu_partition_go) >= gain(Concurrency::cu_partition) * (1 - 1e-9));
    RC_ASSERT(gain(Concurrency::resource_partition_go) >= gain(Concurrency::resource_partition) * (1 - 1e-9));
  }));
}

TEST_CASE("a library with more kernels is never slower, and takes none that the store does not hold") {
  Machine few = test::machine(test::kA100), many = few;
  few.calibration.concurrency.tiles = {64, 128};
  few.calibration.concurrency.parts = 1;
  const operator_models::Device device = few.device(), larger = many.device();
  CHECK(rc::check([&] {
    const Gemm g = any_gemm();
    const GemmKernel kernel = SharedDevice(device).tuned(g), best = SharedDevice(larger).tuned(g);
    RC_ASSERT(kernel.parts == 1);
    RC_ASSERT(SharedDevice(larger).seconds({&g, 1}, {&best, 1}) <=
              SharedDevice(larger).seconds({&g, 1}, {&kernel, 1}) * (1 + 1e-9));
    RC_ASSERT(2 * best.depth * (best.tile_m * g.a_bytes + best.tile_n * g.b_bytes) <= many.gpu.local_store.value);
  }));
}

TEST_CASE("each operand comes from memory once, and again with fewer workgroups at a time, smaller tiles, less cache") {
  Machine m = test::machine(test::kA100);
  const operator_models::Device device = m.device();
  const SharedDevice shared(device);
  const Gemm g = product(4096, 4096, 4096);
  const double once = 3 * 2.0 * 4096 * 4096;
  const GemmKernel large{.tile_m = 256, .tile_n = 128}, small{.tile_m = 64, .tile_n = 64};
  CHECK(shared.bytes(g, large, 1e6, 0) == once);  // one wave
  CHECK(shared.bytes(g, large, 100, 1e12) == once);
  CHECK(shared.bytes(g, large, 100, 0) > once);
  CHECK(shared.bytes(g, large, 10, 0) > shared.bytes(g, large, 100, 0));
  CHECK(shared.bytes(g, small, 100, 0) > shared.bytes(g, large, 100, 0));
  CHECK(shared.bytes(g, large, 100, 4e7) < shared.bytes(g, large, 100, 1e7));
}

TEST_CASE("what one kernel does not hide of its memory runs under others, the more of it the fewer waves it has") {
  Machine m = plain();
  m.gpu.memory_bandwidth = test::machine(test::kA100).gpu.memory_bandwidth;
  const GemmKernel kernel{.tile_m = 128, .tile_n = 128, .depth = 16};
  const auto gain = [&](int64_t rows, double norm) {
    for (auto& [name, row] : m.calibration.gemm) row.tail = 0, row.overlap = norm;
    const operator_models::Device device = m.device();
    const std::vector<Gemm> gemms(8, product(rows, 2048, 512));
    const std::vector<GemmKernel> kernels(gemms.size(), kernel);
    const SharedDevice shared(device);
    return 8 * shared.seconds({gemms.data(), 1}, {kernels.data(), 1}) / shared.seconds(gemms, kernels);
  };
  double last = 2;
  for (const int64_t rows : {2048, 8192, 32768, 131072}) {  // 2 to 150 waves
    CHECK(gain(rows, 1) > 1);
    CHECK(gain(rows, 1) < last);
    CHECK(gain(rows, 50) == doctest::Approx(1).epsilon(0.01));  // nothing is left to hide
    last = gain(rows, 1);
  }
  CHECK(last == doctest::Approx(1).epsilon(0.01));
}

TEST_CASE("parts of the units are never ahead of all units together, and with parts of memory never behind those") {
  const Machine m = test::machine(test::kA100);
  CHECK(rc::check([&] {
    const Gemm g = any_gemm();
    const int64_t count = *rc::gen::element(2, 3, 4);  // they divide the 108 units
    const auto gain = [&](Concurrency policy) { return alike(m, g, count, policy).gain; };
    RC_ASSERT(gain(Concurrency::cu_partition) <= gain(Concurrency::greedy) * (1 + 1e-9));
    RC_ASSERT(gain(Concurrency::cu_partition) <= gain(Concurrency::resource_partition) * (1 + 1e-9));
  }));
}

TEST_CASE("of unlike GEMMs on parts the longest is waited for, and memory serves all") {
  Machine m = plain();
  const Gemm large = product(4096, 4096, 4096), small = product(512, 512, 512);
  const auto apart = [&](const std::vector<Gemm>& gemms) {
    const operator_models::Device device = m.device();
    const std::vector<GemmKernel> kernels(gemms.size(), {.tile_m = 128, .tile_n = 128, .depth = 16});
    return SharedDevice(device).seconds_apart(gemms, kernels);
  };
  CHECK(apart({large, small}) == doctest::Approx(apart({large, large})).epsilon(1e-3));
  CHECK(apart({small, large}) == doctest::Approx(apart({large, small})));
  m.gpu.memory_bandwidth = m.gpu.memory_bandwidth * 1e-9;  // now all wait for memory
  m.calibration.concurrency.cache_rate = 1e9;
  CHECK(apart({large, large}) == doctest::Approx(2 * apart({large, small}) / (1 + 1.0 / 64)).epsilon(0.02));
}

TEST_CASE("kinds of GEMMs run together only where the predictor would run all of each") {
  Machine m = test::machine(test::kA100);
  std::vector<Gemm> two(8, product(512, 512, 512));
  two.resize(16, product(1024, 512, 512));
  m.calibration.concurrency.predictor = always(4);
  const Concurrent all = run(m, two, Concurrency::goldyloc);
  CHECK(all.degree == 16);
  CHECK(all.rounds == 1);
  m.calibration.concurrency.predictor = always(2);
  const Concurrent apart = run(m, two, Concurrency::goldyloc);
  CHECK(apart.degree == 4);
  CHECK(apart.rounds == 4);  // two of each kind
  CHECK(apart.kernels.size() == 16);
}
