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

}  // namespace hw_profiles
