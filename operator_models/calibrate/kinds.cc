#include "operator_models/calibrate/kinds.h"

#include <algorithm>

#include "operator_models/calibrate/baseline_fit.h"
#include "operator_models/calibrate/gemm_fit.h"
#include "operator_models/calibrate/gemm_read.h"
#include "operator_models/calibrate/trace_read.h"

namespace operator_models {
namespace {

constexpr FitRow kGemmFits[] = {
    {"gemm", "roofline", "one share of the peak and one of the bandwidth", 2, fit_gemm_roofline},
    {"gemm", "baseline", "the rows of --base, scaled by FLOP", 1, fit_baseline},
};

constexpr FitRow kBaselineFits[] = {
    {"gemm", "baseline", "the operators of one iteration, scaled by their work", 1, fit_baseline},
};

constexpr KindRow kKinds[] = {
    {"gemm", "matrix multiplications: a CSV of shapes and times", true, false, read_gemms, kGemmFits},
    {"baseline", "operators of one measured iteration, projected to others", true, false, read_iterations,
     kBaselineFits},
};

}  // namespace

std::span<const KindRow> calibration_kinds() { return kKinds; }

const KindRow* find_calibration_kind(std::string_view name) {
  const auto found =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](const KindRow& k) { return k.name == name; });
  return found == std::end(kKinds) ? nullptr : &*found;
}

ModelChoice choice_of(const FitRow& fit) {
  if (std::string_view(fit.model) != "baseline") return {{fit.kind, fit.model}};
  ModelChoice all;  // an iteration holds operators of several kinds
  for (const ModelRow& row : registry())
    if (std::string_view(row.name) == "baseline") all[row.kind] = row.name;
  return all;
}

}  // namespace operator_models
