// Optimizers: every state is read and written once; kernels * launch + bytes / (efficiency * bandwidth).
// (Adam on fp32 states moves 28-30 bytes a parameter: Rajbhandari et al., "ZeRO-Offload", ATC 2021, section 4.)
#include "operator_models/models.h"

namespace operator_models {

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

}  // namespace operator_models
