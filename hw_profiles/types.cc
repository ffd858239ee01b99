#include "hw_profiles/types.h"

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

std::optional<dsl::UsdPerSecond> hourly_price(const Cluster& c) {
  const Purchase& own = c.purchase;
  if (!own.gpu_price && !own.node_price) return c.price;
  const double gpu =
      own.gpu_price ? own.gpu_price->value : own.node_price->value / static_cast<double>(c.gpus_per_node);
  return dsl::UsdPerSecond{gpu / (own.amortisation.value * own.utilisation)};
}

}  // namespace hw_profiles
