#include "hw_profiles/types.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hw_profiles {

std::optional<dsl::FlopsPerSecond> Peaks::at(Precision p) const {
  static constexpr std::array kPeaks{&Peaks::fp32, &Peaks::tf32,  &Peaks::fp16, &Peaks::bf16,
                                     &Peaks::fp8,  &Peaks::mxfp8, &Peaks::nvfp4};
  static_assert(kPeaks.size() == kPrecisionNames.size());
  return this->*kPeaks[static_cast<size_t>(p)];
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

dsl::Seconds time_between_failures(const Cluster& c) {
  if (!c.node_failures) return c.mtbf;
  return dsl::Seconds{static_cast<double>(c.gpus_per_node) / c.node_failures->value};
}

}  // namespace hw_profiles
