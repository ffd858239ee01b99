// The fits: one for each model that measurements can calibrate.
#pragma once

#include "operator_models/calibrate/measured_file.h"

namespace operator_models {

/// One surface per head width with enough forward rows (model `table`), and factors from the backward rows; with fewer,
/// one factor on the surface of the catalogue.
Fitted fit_attention_table(const SampleSet& set, const Machine& machine);
/// `forward`, `half_length`, `backward`, `backward_half_length` (model `fused`).
Fitted fit_attention_fused(const SampleSet& set, const Machine& machine);

/// The samples marked as base become the calibration's base iteration, equal shapes with their mean time; where none is
/// marked, all of them do. Nothing is fitted. Warns of a base that does not fill the device: scaled up, its waste is
/// scaled too.
Fitted fit_baseline(const SampleSet& set, const Machine& machine);
/// `baseline` for each kind of operator that has it: an iteration holds several.
ModelChoice baseline_choice();

// One row of the calibration for each tier and collective of the data. A fit begins at fixed points, not at the
// catalogue's row of the collective. Otherwise the starting point could hide data that is left out. Rows of tiers and
// collectives that the data lacks stay the catalogue's.

/// Fits efficiency, latencies and half size (collective.cc).
Fitted fit_alpha_beta(const SampleSet& set, const Machine& machine);
/// Fits those, and for each collective inside a domain its times at every power of two of bytes (collective_table.cc).
Fitted fit_collective_table(const SampleSet& set, const Machine& machine);
/// Fits those, and for each collective and number of ranks inside a domain eight numbers (collective_region.cc).
Fitted fit_three_region(const SampleSet& set, const Machine& machine);

/// Interference of concurrent GEMMs (operator_models/concurrency.h). Fits `hide`, `thrash`, `ramp`, `burst` and
/// `sustained` where times were measured. Trains the predictor where shapes come with every number of kDegrees;
/// otherwise a warning names what is missing.
Fitted fit_concurrency(const SampleSet& set, const Machine& machine);
/// The same where the kernels were tuned for the number at once, and for shapes alone.
Fitted fit_tuned_concurrency(const SampleSet& set, const Machine& machine);

inline constexpr int64_t kGroupedNumbers = 9;
/// The row of kernels for all experts of a rank, at the samples' precision. The sum of absolute logs is what falls,
/// near enough: where a tuner missed its kernel a whole setting is 1.5 to 4 times slow, which no size explains.
Fitted fit_experts(const SampleSet& set, const Machine& machine);

/// Fewest samples: the waves' numbers; what places the nodes of a table (neighbours hold each other).
inline constexpr int64_t kWaveNumbers = 14, kTableRows = 200;
/// One efficiency of the peak and one of the bandwidth (model `roofline`); the launch stays.
Fitted fit_gemm_roofline(const SampleSet& set, const Machine& machine);
/// Efficiencies, tiles, prologue, tail and split of `wave`, and the launch, from a spread part of the samples.
Fitted fit_gemm_wave(const SampleSet& set, const Machine& machine);
/// `wave`, and corrections on the nodes that lie inside the data; of fewer samples than kTableRows
/// the rates of the table that the catalogue has, or the waves alone.
Fitted fit_gemm_table(const SampleSet& set, const Machine& machine);

/// The calibration's row `lookup-reuse`: a share of the bandwidth for forward lookups, and a factor on it for backward
/// ones, each where there are six rows and more; fewer leave it as it is, with a warning.
Fitted fit_lookup(const SampleSet& set, const Machine& machine);

/// Each rule's shares of the matrix peak and of the bandwidth, base and step of a chunk from forward rows, where there
/// are six and more; then a factor on the time of backward ones, of two and more.
Fitted fit_scan(const SampleSet& set, const Machine& machine);
/// Shares of the matrix peak and of the bandwidth, a base and what each query takes; a factor on the time of backward
/// rows.
Fitted fit_selection(const SampleSet& set, const Machine& machine);

/// Fits each kind of kernel alone: an efficiency (by row width for norms and softmax), the overhead of a call of an
/// eager framework where the samples are such calls, and a factor for backward kernels. Also fits lookups and the
/// optimizer's efficiency.
Fitted fit_vector(const SampleSet& set, const Machine& machine);

}  // namespace operator_models
