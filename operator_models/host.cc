// Offloading: the link between a GPU and its host, and the host's computation (Ren et al., "ZeRO-Offload", ATC 2021).
//
//     copy     base + bytes / (copy_efficiency * bandwidth)          each direction separately: the link is full duplex
//     update   bytes / (update_efficiency * memory bandwidth / GPUs of the node)
#include <cassert>

#include "operator_models/models.h"

namespace operator_models {
namespace {

Cost priced(const Device& device, const char* model, Bound bound) {
  Cost c;
  c.bound = bound;
  set_source(c, model, device.calibration->host);
  return c;
}

}  // namespace

Cost host_copy(const HostCopy& op, const Device& device, const Share& share) {
  Cost c = priced(device, "link", Bound::network);
  if (op.bytes.value <= 0) return c;
  assert(device.host && device.host->bandwidth.value > 0 && "a copy needs a link to the host");
  const HostCalibration& row = device.calibration->host;
  c.launch = row.copy_base;
  c.seconds = c.launch + op.bytes / (row.copy_efficiency * share.bandwidth * device.host->bandwidth);
  c.bytes_read = c.bytes_written = op.bytes.value;
  return c;
}

Cost host_update(const HostUpdate& op, const Device& device, const Share&) {
  Cost c = priced(device, "streaming", Bound::memory);
  const Update& u = op.update;
  if (u.parameters <= 0) return c;
  assert(device.host && device.host->memory_bandwidth.value > 0 && "the host has memory");
  const double part = device.calibration->host.update_efficiency / real(device.gpus_per_host);
  c.bytes_read = u.parameters * u.read_bytes;
  c.bytes_written = u.parameters * u.written_bytes;
  c.flops = u.parameters * u.flops_per_parameter;
  c.seconds = dsl::Bytes{c.bytes_read + c.bytes_written} / (part * device.host->memory_bandwidth);
  return c;
}

}  // namespace operator_models
