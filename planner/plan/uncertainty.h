// How far a step's time may be off, and what its figures rest on.
//
//     sigma^2 = sum over kinds k of (sum over operators i of k: t_i e_i / T)^2        T = sum over all operators of t_i
//             + software.relative_error^2 + (share of mixtures x software.experts.relative_error)^2
//     p10, p90 = step x exp(-+1.2816 sigma)
//
// t_i: seconds of an operator on the stage that finishes last (of a transfer, those that stick out); e_i: its standard
// error. One figure of a calibration prices all operators of a kind, so that their errors point the same way; figures
// of different kinds were measured apart. What operators do not explain is the software's: it holds for the whole step,
// the experts' part for the layers that have routed experts. Waiting (bubble, straggling) stretches with the operators.
#pragma once

#include <span>
#include <vector>

#include "planner/plan/step.h"

namespace planner {

/// Operators of one line of the workload, all their calls in a step.
struct StepPart {
  const char* kind = "";  // operator_models::kind_of
  operator_models::Provenance provenance = operator_models::Provenance::assumed;
  double seconds = 0;  // of a step; of communication what is exposed
};

/// Returns the parts of the stage that finishes last. REQUIRES: `make_step` was called with them.
std::vector<StepPart> step_parts(const CostedWorkload& costed, const Pipelined& pipeline);

/// Returns the errors of a step by what they come from, relative to the operators' sum; none without any.
KindErrors kind_errors(const Software& software, const ErrorSum& operators);
/// Returns one standard error of the operators' sum, relative to it.
double operators_error(const KindErrors& errors);
/// Returns one standard error of a step, relative to it: the operators' and what the software's profile leaves out.
double step_error(const KindErrors& errors);
/// This many standard errors lie between the median and the 10th or 90th percentile of a normal distribution.
inline constexpr double kTenthPercentile = 1.2815515655446004;
/// Returns the 10th and 90th percentile of a log-normal step around its seconds.
StepTime interval(double seconds, double relative_error);

/// Returns the shares of the parts' seconds by kind and provenance, largest first; they sum to 1 where there is any
/// time.
std::vector<SourceShare> source_shares(std::span<const StepPart> parts);

}  // namespace planner
