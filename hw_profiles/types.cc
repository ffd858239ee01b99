#include "hw_profiles/types.h"

#include <algorithm>
#include <cmath>

namespace hw_profiles {

std::optional<dsl::FlopsPerSecond> Peaks::at(Precision p) const {
  switch (p) {
    case Precision::fp32:
      return fp32;
    case Precision::tf32:
      return tf32;
    case Precision::fp16:
      return fp16;
    case Precision::bf16:
      return bf16;
    case Precision::fp8:
      return fp8;
    case Precision::mxfp8:
      return mxfp8;
    case Precision::nvfp4:
      return nvfp4;
  }
  return std::nullopt;
}

double compute_share(const Accelerator& gpu) {
  double share = 1;
  if (gpu.clock_cap < gpu.clock) share = gpu.clock_cap / gpu.clock;
  if (gpu.power_cap < gpu.power) share = std::min(share, std::sqrt(std::sqrt(gpu.power_cap / gpu.power)));
  return share;
}

dsl::Watts capped_power(const Accelerator& gpu) { return gpu.power * std::pow(compute_share(gpu), 4); }

std::optional<dsl::UsdPerSecond> hourly_price(const Cluster& c) {
  const Purchase& own = c.purchase;
  if (!own.gpu_price && !own.node_price) return c.price;
  const double gpu =
      own.gpu_price ? own.gpu_price->value : own.node_price->value / static_cast<double>(c.gpus_per_node);
  return dsl::UsdPerSecond{gpu / (own.amortisation.value * own.utilisation)};
}

}  // namespace hw_profiles
