#include "planner/plan/uncertainty.h"

#include <algorithm>
#include <cmath>

namespace planner {
namespace {

double with_operators(const KindErrors& errors, double squares) {
  for (double error : errors.kinds) squares += error * error;
  return std::sqrt(squares);
}

/// What operators' standard errors exceed those of compared runs by, by its weight.
double unknown_part(const ErrorModel& model, double known, double operators) {
  return model.operators * std::sqrt(std::max(0.0, operators * operators - known * known));
}

void keep_unknown(const ErrorModel& model, double known, KindErrors& errors) {
  errors.operators = operators_error(errors);
  const double factor = errors.operators > 0 ? unknown_part(model, known, errors.operators) / errors.operators : 0;
  for (double& error : errors.kinds) error *= factor;
}

}  // namespace

JobKind job_kind(const Scenario& s) {
  if (s.job.lora.rank > 0) return JobKind::adapters;
  return s.model.experts.count > 0 ? JobKind::experts : JobKind::dense;
}

int64_t job_width(const Scenario& s) {
  if (s.job.precision == Precision::nvfp4) return 4;
  return is_narrow(s.job.precision) ? 8 : 16;
}

RunSize run_size(const Scenario& s, double step_seconds) {
  return {static_cast<double>(s.cluster.gpus), static_cast<double>(s.parallelism.microbatch),
          static_cast<double>(s.parallelism.tp), step_seconds};
}

const ErrorFamily* compared_with(const Scenario& s) {
  const JobKind kind = job_kind(s);
  const int64_t width = job_width(s);
  for (const ErrorFamily& f : s.software.errors.families)
    if (f.kind == kind && f.width == width && f.generation == s.cluster.gpu.generation) return &f;
  return nullptr;
}

const OwnRuns* own_runs(const Scenario& s) {
  const OwnRuns& own = s.software.errors.own;
  const bool same = own.runs > 0 && own.kind == job_kind(s) && own.width == job_width(s) &&
                    own.generation == s.cluster.gpu.generation;
  return same ? &own : nullptr;
}

ErrorOutlook published_outlook(const Scenario& s) {
  if (const ErrorFamily* family = compared_with(s)) return family->outlook;
  const ErrorModel& model = s.software.errors;
  const double scatter = model.scatter_of(s.cluster.gpu.generation, job_kind(s), job_width(s));
  return outlook_of(model, model.mean_of_unseen(scatter), scatter, 0);
}

ErrorOutlook error_outlook(const Scenario& s) {
  const OwnRuns* own = own_runs(s);
  if (!own) return published_outlook(s);
  const ErrorModel& model = s.software.errors;
  const double scatter = model.scatter_of(s.cluster.gpu.generation, job_kind(s), job_width(s));
  const ErrorFamily* family = compared_with(s);
  return outlook_beside(model, family ? family->known : model.mean_of_unseen(scatter), scatter, *own);
}

double error_shift(const Scenario& s) {
  const ErrorModel& model = s.software.errors;
  return model.moves || model.own.runs > 0 ? std::exp(error_outlook(s).mean) : 1;  // evaluated for every row
}

KindErrors kind_errors(const Scenario& s, const ErrorSum& operators, double step_seconds) {
  KindErrors errors;
  const double seconds = operators.seconds;
  if (seconds > 0)
    for (size_t i = 0; i < errors.kinds.size(); ++i) errors.kinds[i] = operators.kinds[i] / seconds;
  if (seconds > 0) errors.assumed = operators.assumed / seconds;
  const ErrorModel& model = s.software.errors;
  const ErrorFamily* family = compared_with(s);
  keep_unknown(model, family ? family->operators : model.known_operators, errors);
  const RunSize size = run_size(s, step_seconds);
  const OwnRuns* own = own_runs(s);
  const double far = own ? distance(size, *own) : family ? distance(size, *family) : 0;
  errors.software = std::hypot(error_outlook(s).sd, model.distance * far);
  return errors;
}

StepTime unseen_step(const Scenario& s, const StepTime& step, const KindErrors& errors) {
  const ErrorFamily* family = compared_with(s);
  if (!family || own_runs(s)) return step;
  ErrorModel others = s.software.errors;
  others.families.erase(others.families.begin() + (family - s.software.errors.families.data()));
  others.settle();
  const ErrorOutlook outlook = outlook_of(others, others.mean_of_unseen(family->scatter), family->scatter, 0);
  const double operators = unknown_part(others, others.known_operators, errors.operators);
  return interval(step.seconds / error_shift(s) * std::exp(outlook.mean), std::hypot(outlook.sd, operators));
}

double operators_error(const KindErrors& errors) { return with_operators(errors, 0); }

double step_error(const KindErrors& errors) { return with_operators(errors, errors.software * errors.software); }

StepTime interval(double seconds, double relative_error) {
  const double spread = std::exp(kTenthPercentile * relative_error);
  return {.seconds = seconds, .low_seconds = seconds / spread, .high_seconds = seconds * spread};
}

}  // namespace planner
