// Devices for the tests of the operator models, read from the catalogue's own files.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "dsl/catalog.h"
#include "dsl/fields.h"
#include "operator_models/cost.h"
#include "planner/scenario/vocabulary.h"

namespace test {

/// An accelerator's file pulls its calibration in.
struct CalibratedGpu {
  hw_profiles::Accelerator gpu;
  operator_models::Calibration calibration;
};
template <class V> void fields(V& v, CalibratedGpu& g) {
  fields(v, g.gpu);
  v.section("calibration", g.calibration);
}

/// Reads an accelerator of this source tree; a diagnostic fails the test.
CalibratedGpu read_gpu(const std::string& name);

/// A GPU with its calibration in a cluster of two tiers: eight to a node, then `nic`.
struct Machine {
  hw_profiles::Accelerator gpu;
  operator_models::Calibration calibration;
  std::vector<hw_profiles::Tier> network;
  hw_profiles::Host host{{30e9}, {1e12}, {400e9}};

  operator_models::Device device() const {
    return {&gpu, &network, &calibration, {}, true, 1, &host, 8};
  }  // the tables are bursts
  double seconds(const operator_models::Operator& op) const {
    return operator_models::cost(op, device()).seconds.value;
  }
};

struct MachineNames {
  const char *gpu, *calibration;
  double nvlink, nic;
  bool reduces;  // the NVLink switch adds
};
inline constexpr MachineNames kA100{"a100-sxm-80gb", "a100-sxm", 300e9, 25e9, false};
inline constexpr MachineNames kA100Pcie{"a100-pcie-80gb", "a100-pcie", 300e9, 25e9, false};
inline constexpr MachineNames kA800{"a800-80gb", "a800-sxm", 200e9, 25e9, false};
inline constexpr MachineNames kH100{"h100-sxm-80gb", "h100-sxm", 450e9, 50e9, true};
inline constexpr MachineNames kH100Capped{"h100-sxm-96gb", "h100-sxm-96gb", 450e9, 50e9, true};
inline constexpr MachineNames kH200{"h200-sxm-141gb", "h200-sxm", 450e9, 50e9, true};
inline constexpr MachineNames kB200{"b200-180gb", "b200", 900e9, 50e9, true};
inline constexpr MachineNames kV100{"v100-sxm2-32gb", "v100-sxm", 150e9, 12.5e9, false};
inline constexpr MachineNames kAllMachines[] = {kA100, kA100Pcie, kA800, kH100, kH100Capped, kH200, kB200, kV100};

Machine machine(const MachineNames& names);

/// exp(mean |log(predicted / measured)|) - 1.
double geomean_error(const std::vector<std::pair<double, double>>& predicted_and_measured);

bool within(double predicted, double measured, double tolerance);

}  // namespace test
