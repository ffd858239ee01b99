// The time that a fused collective adds to the GEMM that writes its data.
#pragma once

#include "planner/scenario/scenario.h"
#include "planner/workload/costed_workload.h"

namespace planner {

/// Whether hardware sends the GEMM's stores, and the memory adds (T3).
bool sent_by_hardware(const Scenario& scenario);

/// The compute units left to GEMMs while a collective uses units of its own.
operator_models::Share left_to_gemms(const Scenario& scenario);

/// Seconds per call by which GEMM and collective together take longer than the GEMM alone: the exposed part, and the
/// GEMM's slowdown (operator_models/fused_collective.h). `beside`: seconds of the GEMM on `left_to_gemms`, if it has
/// that, else unchanged. REQUIRES: the collective hides in its GEMM (Hide::fused).
double fused_exposed(const Scenario& scenario, const operator_models::Device& device, const CostedOp& gemm,
                     const CostedOp& collective, double beside);

}  // namespace planner
