// Optimizers: every state is read and written once; kernels * launch + bytes / (efficiency * bandwidth).
// (Adam on fp32 states moves 28-30 bytes a parameter: Rajbhandari et al., "ZeRO-Offload", ATC 2021, section 4.)
//
// Optimizers near memory: the banks of all channels follow the same commands in step (Pati 2024, sections 6.2 and 6.3).
//
//     bytes of one bank = bytes / (channels * banks)                 reads and writes alike
//     t = (columns + register columns) * command + columns / registers * row switch + sums + launches
//
// One command reads or writes a column of each bank, one works on a column of words in registers; as many columns as
// there are registers pass before another row is opened. A sum stays in parts, one column of each bank, which the GPU
// reads and adds up before it returns the value.
#include <cassert>

#include "operator_models/models.h"

namespace operator_models {
namespace {

/// Columns of each bank for this many bytes.
double columns(double bytes, const hw_profiles::NearMemory& memory) {
  return bytes / (memory.units() * memory.column.value);
}

/// What the units do between two waits for the GPU.
dsl::Seconds commands(const Update& u, const hw_profiles::NearMemory& memory) {
  const double accesses = columns(u.parameters * (u.read_bytes + u.written_bytes), memory);
  const double on_registers = columns(u.parameters * kUpdateWord, memory) * u.register_commands;
  return (accesses + on_registers) * memory.command + accesses / real(memory.registers) * memory.row_switch;
}

}  // namespace

Cost update(const Update& op, const Device& device, const Share& share) {
  const Calibration& calibration = *device.calibration;
  Cost c;
  if (op.parameters > 0) {
    c = streaming(dsl::Bytes{op.parameters * op.read_bytes}, dsl::Bytes{op.parameters * op.written_bytes},
                  calibration.update_efficiency, device, share);
    dsl::Seconds traffic = c.seconds - c.launch;
    c.launch *= real(op.kernels);
    c.seconds = c.launch + traffic;
    c.bound = traffic > c.launch ? Bound::memory : Bound::launch;
    c.flops = op.parameters * op.flops_per_parameter;
  }
  const VectorCalibration& row = vector_row(calibration, "elementwise");
  set_source(c, "streaming", row);
  return c;
}

Cost near_update(const NearUpdate& op, const Device& device, const Share& share) {
  const Update& u = op.update;
  Cost c;
  c.model = "banks";
  c.bound = Bound::memory;
  c.provenance = Provenance::assumed;
  if (u.parameters <= 0) return c;
  const hw_profiles::NearMemory& memory = device.gpu->near_memory;
  assert(memory.channels > 0 && "scenario_check.cc asks for units near memory");
  const bool waits = u.sums > 0;
  const double parts = real(u.sums) * memory.units() * memory.column.value;
  c.near_bytes = u.parameters * (u.read_bytes + u.written_bytes);
  c.bytes_read = parts;
  c.bytes_written = real(u.sums) * memory.column.value;
  c.flops = u.parameters * u.flops_per_parameter;
  c.launch = (waits ? 3.0 : 1.0) * launch_of(device);
  const double bandwidth = device.calibration->update_efficiency * share.bandwidth;
  const dsl::Seconds sums = dsl::Bytes{parts} / (bandwidth * device.gpu->memory_bandwidth);
  c.seconds = c.launch + commands(u, memory) + sums;
  return c;
}

}  // namespace operator_models
