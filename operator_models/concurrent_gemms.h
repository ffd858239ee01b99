// The GEMMs of an operator that starts several of them together.
#pragma once

#include <tuple>
#include <vector>

#include "operator_models/concurrency.h"
#include "operator_models/operators.h"

namespace operator_models {

/// The properties that make GEMMs identical.
using GemmShape = std::tuple<int64_t, int64_t, int64_t, int64_t, GemmPass, Precision>;
inline GemmShape shape_of(const Gemm& g) { return {g.batch, g.m, g.n, g.k, g.pass, g.precision}; }

/// The weight gradient of the layer whose data gradient is given: [m, k] x [k, n] corresponds to [k, m] x [m, n].
Gemm wgrad_beside(const Gemm& dgrad);

/// One entry for each concurrent GEMM; identical ones are adjacent.
std::vector<Gemm> gemms_of(const ConcurrentGemms& op);

}  // namespace operator_models
