#include "operator_models/calibrate/sample.h"

#include <algorithm>

namespace operator_models {

Device device_of(const Machine& machine, const Calibration& calibration) {
  Device device;
  device.gpu = &machine.gpu;
  device.network = &machine.network;
  device.calibration = &calibration;
  device.bursts = true;
  device.casts = true;
  return device;
}

SampleSet part_of(const SampleSet& set, size_t dimension, const std::vector<std::string>& values, bool kept) {
  SampleSet part{set.dimensions, {}, 0, set.only_grouped, set.modelled};
  for (const Sample& s : set.samples) {
    const bool listed = std::find(values.begin(), values.end(), s.values[dimension]) != values.end();
    if (listed != kept) part.samples.push_back(s);
  }
  return part;
}

}  // namespace operator_models
