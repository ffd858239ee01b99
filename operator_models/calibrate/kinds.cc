#include "operator_models/calibrate/kinds.h"

#include <algorithm>

#include "operator_models/calibrate/gemm_fit.h"
#include "operator_models/calibrate/gemm_read.h"

namespace operator_models {
namespace {

constexpr FitRow kGemmFits[] = {
    {"gemm", "roofline", "one share of the peak and one of the bandwidth", 2, fit_gemm_roofline},
};

constexpr KindRow kKinds[] = {
    {"gemm", "matrix multiplications: a CSV of shapes and times", true, false, read_gemms, kGemmFits},
};

}  // namespace

std::span<const KindRow> calibration_kinds() { return kKinds; }

const KindRow* find_calibration_kind(std::string_view name) {
  const auto found =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](const KindRow& k) { return k.name == name; });
  return found == std::end(kKinds) ? nullptr : &*found;
}

ModelChoice choice_of(const FitRow& fit) { return {{fit.kind, fit.model}}; }

}  // namespace operator_models
