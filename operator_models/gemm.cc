#include "operator_models/gemm.h"

#include <algorithm>
#include <cmath>

namespace operator_models {

GemmMachine gemm_machine(const Gemm& op, const Device& device, const Share& share) {
  const GemmRow calibrated = gemm_row(*device.calibration, op.precision);
  const Rate rate = matrix_peak(*device.gpu, op.precision);
  const GemmCalibration& row = *calibrated.row;
  const double all = std::max<double>(1, static_cast<double>(device.gpu->compute_units));
  GemmMachine machine{.row = &row, .own = calibrated.own, .exact = calibrated.exact && rate.exact};
  machine.units = std::max(1.0, std::floor(all * share.compute_units));
  // Short kernels draw on thermal and power reserves that a step does not have.
  machine.peak = rate.peak.value * (device.bursts ? 1 : calibrated.own->sustained);
  machine.flops = machine.peak * row.compute_efficiency * (machine.units / all);
  machine.bandwidth = device.gpu->memory_bandwidth.value * row.memory_efficiency * share.bandwidth;
  return machine;
}

Cost gemm_counted(const Gemm& op, const GemmMachine& machine, const char* model) {
  const double batch = static_cast<double>(op.batch), m = static_cast<double>(op.m), n = static_cast<double>(op.n),
               k = static_cast<double>(op.k);
  Cost c;
  c.flops = 2 * batch * m * n * k;
  c.bytes_written = batch * m * n * op.c_bytes;
  c.bytes_read = batch * (m * k * op.a_bytes + k * n * op.b_bytes) + (op.accumulate ? c.bytes_written : 0);
  c.model = model;
  c.provenance = machine.exact ? machine.own->provenance : Provenance::assumed;
  c.relative_error = machine.own->relative_error > 0 ? machine.own->relative_error : machine.row->relative_error;
  return c;
}

double pass_factor(const Gemm& op, const GemmCalibration& row) {
  return op.pass == GemmPass::dgrad ? row.dgrad : op.pass == GemmPass::wgrad ? row.wgrad : 1;
}

void set_gemm_time(Cost& c, const WaveTime& time, const Device& device) {
  c.launch = launch_of(device);
  c.seconds = c.launch + dsl::Seconds{time.seconds};
  c.bound = std::max(time.compute, time.memory) < c.launch.value ? Bound::launch
            : time.compute >= time.memory                        ? Bound::compute
                                                                 : Bound::memory;
}

Cost gemm_roofline(const Gemm& op, const Device& device, const Share& share) {
  const GemmMachine machine = gemm_machine(op, device, share);
  Cost c = gemm_counted(op, machine, "roofline");
  if (no_work(op)) return c;
  WaveTime time;
  time.compute = c.flops / (machine.peak * machine.row->roofline_efficiency * share.compute_units);
  time.memory = (c.bytes_read + c.bytes_written) / machine.bandwidth;
  time.seconds = std::max(time.compute, time.memory) * pass_factor(op, *machine.row);
  set_gemm_time(c, time, device);
  return c;
}

}  // namespace operator_models
