// Machines of round figures, for tests.
#pragma once

#include "planner/replay/site.h"

namespace sample {

/// Nodes of four devices at 100 GB/s, which are joined at 10 GB/s; a GEMM at 100 TFLOP/s in 16 bits, memory of 1 TB/s,
/// a link of 10 GB/s. All of it `speed` times as fast.
inline operator_models::Machine machine(double speed = 1) {
  operator_models::Machine made;
  made.gpu.flops.fp32 = dsl::FlopsPerSecond{10e12 * speed};
  made.gpu.flops.fp16 = dsl::FlopsPerSecond{100e12 * speed};
  made.gpu.vector_flops = {10e12 * speed};
  made.gpu.compute_units = 100;
  made.gpu.clock = made.gpu.clock_cap = {1e9};
  made.gpu.memory_bandwidth = {1e12 * speed};
  made.gpu.cache = {40e6};
  made.gpu.power = made.gpu.power_cap = {400};
  made.network.resize(2);
  made.network[0] = {.name = "links", .size = 4, .bandwidth = {100e9 * speed}, .latency = {1e-6}};
  made.network[1] = {.name = "fabric", .size = 0, .bandwidth = {10e9 * speed}, .latency = {3e-6}};
  made.gpus_per_node = 4;
  made.calibration.launch = {2e-6};
  made.calibration.gemm["fp16"].provenance = operator_models::Provenance::measured;
  made.calibration.collective["default"].provenance = operator_models::Provenance::measured;
  made.host.bandwidth = {10e9 * speed};
  return made;
}

}  // namespace sample
