// GEMMs alike that were started together: a CSV of their shape, their number and the time of all of them.
#pragma once

#include <tuple>

#include "operator_models/calibrate/measured_file.h"

namespace operator_models {

/// What makes GEMMs alike.
using GemmShape = std::tuple<int64_t, int64_t, int64_t, int64_t, GemmPass, Precision>;
inline GemmShape shape_of(const Gemm& g) { return {g.batch, g.m, g.n, g.k, g.pass, g.precision}; }

/// Columns m, n, k, at_once, time_us; batch, layout (TN forward, NN data gradient, NT weight gradient, NN+NT a data
/// gradient beside each weight gradient of its layer) and precision where they are not 1, TN and that of the task. What
/// several take is over the rows of each alone. Without at_once and time the rows are shapes alone, of which the
/// local model says what each number takes: a predictor that is trained on them is `assumed`. Diagnosed besides: a
/// number of GEMMs without the row of one alone of its shape.
void read_concurrency(const DataFile& file, const Task& task, const Machine& machine, SampleSet& set,
                      dsl::Diagnostics& diagnostics);

}  // namespace operator_models
