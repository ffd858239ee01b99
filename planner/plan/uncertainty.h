// How far a step's time may be off, and what its figures rest on.
//
//     sigma^2 = sum over kinds k of (sum over operators i of k: t_i e_i / T)^2        T = sum over all operators of t_i
//             + software.relative_error^2 + (share of mixtures x software.experts.relative_error)^2
//     p10, p90 = step x exp(-+1.2816 sigma)
//
// Where runs of the software were compared on accelerators of the generation (software.accuracy), sigma is what they
// came to, and more only as far as the operators' errors are larger than on those runs:
//
//     sigma^2 = accuracy.relative_error^2 + max(0, operators^2 - accuracy.operators^2)
//
// t_i: seconds of an operator on the stage that finishes last (of a transfer, those that stick out); e_i: its standard
// error. One figure of a calibration prices all operators of a kind, so that their errors point the same way; figures
// of different kinds were measured apart. What operators do not explain is the software's: it holds for the whole step,
// the experts' part for the layers that have routed experts. Waiting (bubble, straggling) stretches with the operators.
#pragma once

#include <array>
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

/// Which part of software.accuracy holds for a job: 16 bits and more, 8 and 4 bits, models with routed experts.
enum class JobKind { dense, narrow, experts };
inline constexpr std::array kJobKinds{"dense", "narrow", "experts"};
JobKind job_kind(const Scenario& scenario);
/// Returns what runs of the scenario's software and kind came to on its generation of accelerators; null: none was
/// compared.
const Compared* compared_with(const Scenario& scenario);
/// Returns the errors of a step by what they come from, relative to the operators' sum; none without any.
KindErrors kind_errors(const Scenario& scenario, const ErrorSum& operators);
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
