#include "operator_models/calibrate/measured_kinds.h"

#include <algorithm>

#include "operator_models/calibrate/fits.h"
#include "operator_models/calibrate/nccl_log.h"
#include "operator_models/calibrate/row_fit.h"

namespace operator_models {
namespace {

constexpr FitRow kGemmFits[] = {
    {"gemm", "table", "corrections of the waves on a grid of m, n and k", kWaveNumbers, fit_gemm_table},
    {"gemm", "wave", "tiles in waves over the compute units", kWaveNumbers, fit_gemm_wave},
    {"gemm", "roofline", "one share of the peak and one of the bandwidth", 2, fit_gemm_roofline},
    {"gemm", "baseline", "the rows of --base, scaled by FLOP", 1, fit_baseline},
};

constexpr FitRow kExpertFits[] = {
    {"gemm", "table", "experts of a rank in one kernel, by rate, depth and ramp", kGroupedNumbers, fit_experts},
};
constexpr FitRow kBaselineFits[] = {
    {"gemm", "baseline", "the operators of one iteration, scaled by their work", 1, fit_baseline},
};
constexpr FitRow kAttentionFits[] = {
    {"attention", "table", "a surface over keys and work per head width; backward's ratio", 2, fit_attention_table},
    {"attention", "fused", "a rate and the keys at which half of it is reached, each way", 2, fit_attention_fused},
};
constexpr FitRow kVectorFits[] = {
    {"vector", "streaming", "a share of the bandwidth per kind of kernel, by row width for norms", 6, fit_vector},
    {"vector", "baseline", "the rows of --base, scaled by the ratio of streaming costs", 1, fit_baseline},
};
constexpr FitRow kConcurrencyFits[] = {
    {"concurrent-gemm", "default", "what they hide and push out of the cache, and a predictor of the best number", 4,
     fit_concurrency},
    {"concurrent-gemm", "go", "the same, of kernels tuned for the number at once", 4, fit_tuned_concurrency},
};
constexpr FitRow kLookupFits[] = {
    {"lookup", "reuse", "a share of the bandwidth forward, a factor on it backward", 6, fit_lookup},
};

constexpr FitRow kScanFits[] = {
    {"scan", "chunks", "a share of the peak, a base and the pass over states, for each rule", 2, fit_scan},
};
constexpr FitRow kSelectionFits[] = {
    {"selection", "scores", "a share of the peak, one of the bandwidth, and a base", 2, fit_selection},
};

constexpr FitRow kCollectiveFits[] = {
    {"collective", "table", "times by size and ranks inside a node, alpha-beta across nodes", 4, fit_collective_table},
    {"collective", "alpha-beta", "efficiency, latency and half size of every tier and kind", 4, fit_alpha_beta},
    {"collective", "three_region", "latency, sigmoid and bandwidth inside a node (Lin et al. 2024)", 10,
     fit_three_region},
    {"collective", "baseline", "the rows of --base, scaled by the ratio of alpha-beta costs", 1, fit_baseline},
};

constexpr MeasuredKind kMeasuredKinds[] = {
    {"gemm", "matrix multiplications: a CSV of shapes and times", read_gemms, kGemmFits},
    {"experts", "experts of one rank, sorted, multiplied and summed: a CSV of layers and times", read_experts,
     kExpertFits},
    {"baseline", "operators of one measured iteration, projected to others", read_iterations, kBaselineFits},
    {"collective", "collectives and messages: a CSV of sizes, ranks and times", read_collectives, kCollectiveFits},
    {"nccl-tests", "logs of nccl-tests or rccl-tests as they were printed", read_collectives, kCollectiveFits,
     read_nccl_log},
    {"attention", "fused attention: a CSV of shapes and times", read_attentions, kAttentionFits},
    {"vector", "kernels bound by memory: a CSV of shapes and times", read_vectors, kVectorFits},
    {"concurrency", "GEMMs alike at once: a CSV of shapes, numbers and times, or of shapes alone", read_concurrency,
     kConcurrencyFits},
    {"scan", "recurrent mixers in chunks: a CSV of shapes and times", read_scans, kScanFits},
    {"selection", "the choice of keys of sparse attention: a CSV of shapes and times", read_selections, kSelectionFits},
    {"lookup", "embedding lookups: a CSV of tables, samples and times", read_lookups, kLookupFits},
};

}  // namespace

std::span<const MeasuredKind> calibration_kinds() { return kMeasuredKinds; }

const MeasuredKind* find_calibration_kind(std::string_view name) {
  const auto found = std::find_if(std::begin(kMeasuredKinds), std::end(kMeasuredKinds),
                                  [&](const MeasuredKind& k) { return k.name == name; });
  return found == std::end(kMeasuredKinds) ? nullptr : &*found;
}

Fitted fitted_to(const SampleSet& set, const Machine& machine, const FitRow& fit) {
  Fitted fitted = fit.fit(set, machine);
  for (const std::string& path : move_into_bounds(fitted.calibration))
    fitted.warnings.push_back(path + " ends at its bound: the rows ask for more than it may say");
  return fitted;
}

ModelChoice choice_of(const FitRow& fit) {
  if (std::string_view(fit.model) == "baseline") return baseline_choice();
  ModelChoice choice{{fit.kind, fit.model}};
  if (std::string_view(fit.kind) == "collective") choice["send-recv"] = fit.model;  // a log holds both
  return choice;
}

}  // namespace operator_models
