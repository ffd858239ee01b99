// The uncertainty of a step's time.
//
//     operators^2 = sum over kinds k of (sum over operators i of k: t_i e_i / T)^2        T = sum over operators of t_i
//     sigma^2     = outlook.sd^2 + (errors.operators)^2 max(0, operators^2 - known^2) + (errors.distance d)^2
//     median = step x exp(outlook.mean)        p10, p90 = median x exp(-+1.2816 sigma)
//
// The outlook is the ratio of measured to planned time of the software's runs (planner/scenario/error_model.h): of its
// family if that has runs, else of unseen families. `known`: the operators' standard errors of the compared runs. d:
// the number of doublings by which the run lies outside its family's range: GPUs, microbatch, tp, the step's time.
//
// t_i: seconds of an operator on the stage that finishes last (of a transfer, the exposed seconds); e_i: its standard
// error. One figure of a calibration prices all operators of a kind, so their errors have the same sign. Figures of
// different kinds were measured separately.
// Errors that operators do not explain are the software's. They apply to the whole step; the experts' part applies to
// the layers that have routed experts. Waiting (bubble, straggling) scales with the operators.
#pragma once

#include <cstdint>

#include "planner/plan/breakdown.h"
#include "planner/scenario/scenario.h"
#include "planner/workload/costed_workload.h"

namespace planner {

JobKind job_kind(const Scenario& scenario);
/// Returns the bits of the operands of the job's GEMMs: 16 (and more), 8 or 4.
int64_t job_width(const Scenario& scenario);
RunSize run_size(const Scenario& scenario, double step_seconds);
/// Returns the family of the scenario's runs; null: none was compared.
const ErrorFamily* compared_with(const Scenario& scenario);
/// Returns the user's own measured runs of the scenario's family. Null: the user has none.
const OwnRuns* own_runs(const Scenario& scenario);
/// Returns the published knowledge of a run's ln(measured / planned), without the user's own runs.
ErrorOutlook published_outlook(const Scenario& scenario);
/// Returns the known distribution of a run's ln(measured / planned).
ErrorOutlook error_outlook(const Scenario& scenario);
/// Returns the factor by which measured runs move a step: the user's own, or the family's where they were far off.
double error_shift(const Scenario& scenario);
/// Returns a plan's step as if the scenario's family had no measurements: its runs neither move the step nor narrow its
/// interval. Parameters that were fitted to them stay.
StepTime unseen_step(const Scenario& scenario, const StepTime& step, const KindErrors& errors);
/// Returns the errors of a step of `seconds` by their source, relative to the operators' sum.
KindErrors kind_errors(const Scenario& scenario, const ErrorSum& operators, double seconds);
/// Returns one standard error of the operators' sum, relative to it.
double operators_error(const KindErrors& errors);
/// Returns one standard error of a step, relative to it: that of the operators, and the one not in the software's
/// profile.
double step_error(const KindErrors& errors);
/// This many standard errors lie between the median and the 10th or 90th percentile of a normal distribution.
inline constexpr double kTenthPercentile = 1.2815515655446004;
/// Returns the 10th and 90th percentile of a log-normal step around its seconds.
StepTime interval(double seconds, double relative_error);

}  // namespace planner
