#include "planner/plan/uncertainty.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

namespace planner {
namespace {

void add(std::vector<StepPart>& parts, const std::vector<CostedOp>& ops, double count) {
  for (const CostedOp& op : ops)
    parts.push_back({.kind = operator_models::kind_of(op.work->op),
                     .provenance = op.cost.provenance,
                     .seconds = count * op.work->count * (op.communication ? op.exposed : op.cost.seconds.value)});
}

double seconds_of(std::span<const StepPart> parts) {
  double sum = 0;
  for (const StepPart& p : parts) sum += p.seconds;
  return sum;
}

}  // namespace

std::vector<StepPart> step_parts(const CostedWorkload& c, const Pipelined& pipeline) {
  std::vector<StepPart> parts;
  const Chunk held = c.workload.classes[pipeline.stage_class].total();
  for (size_t i = 0; i < held.size(); ++i)
    if (held[i] > 0) add(parts, c.blocks[i].ops, static_cast<double>(c.workload.microbatches * held[i]));
  add(parts, c.classes[pipeline.stage_class].step_ops, 1);
  if (pipeline.time.send > 0)
    parts.push_back({.kind = operator_models::kind_of(c.workload.boundary),
                     .provenance = c.boundary.provenance,
                     .seconds = pipeline.time.send});
  return parts;
}

namespace {

double with_operators(const KindErrors& errors, double squares) {
  for (double error : errors.kinds) squares += error * error;
  return std::sqrt(squares);
}

}  // namespace

JobKind job_kind(const Scenario& s) {
  if (s.model.experts.count > 0) return JobKind::experts;
  return is_narrow(s.job.precision) ? JobKind::narrow : JobKind::dense;
}

const Compared* compared_with(const Scenario& s) {
  const auto at = s.software.accuracy.find(s.cluster.gpu.generation);
  if (at == s.software.accuracy.end()) return nullptr;
  constexpr std::array kParts{&Accuracy::dense, &Accuracy::narrow, &Accuracy::experts};
  const Compared& compared = at->second.*kParts[static_cast<size_t>(job_kind(s))];
  return compared.runs > 0 ? &compared : nullptr;
}

KindErrors kind_errors(const Scenario& s, const ErrorSum& operators) {
  KindErrors errors;
  const double seconds = operators.seconds;
  if (seconds > 0)
    for (size_t i = 0; i < errors.kinds.size(); ++i) errors.kinds[i] = operators.kinds[i] / seconds;
  if (seconds > 0) errors.assumed = operators.assumed / seconds;
  if (const Compared* compared = compared_with(s)) {
    const double all = operators_error(errors), known = std::min(all, compared->operators);
    if (all > 0)
      for (double& error : errors.kinds) error *= std::sqrt(1 - known * known / (all * all));
    errors.software = compared->relative_error;
    return errors;
  }
  const double mixtures = seconds > 0 ? operators.mixtures / seconds * s.software.experts.relative_error : 0;
  errors.software = std::sqrt(s.software.relative_error * s.software.relative_error + mixtures * mixtures);
  return errors;
}

double operators_error(const KindErrors& errors) { return with_operators(errors, 0); }

double step_error(const KindErrors& errors) { return with_operators(errors, errors.software * errors.software); }

StepTime interval(double seconds, double relative_error) {
  const double spread = std::exp(kTenthPercentile * relative_error);
  return {.seconds = seconds, .low_seconds = seconds / spread, .high_seconds = seconds * spread};
}

std::vector<SourceShare> source_shares(std::span<const StepPart> parts) {
  std::map<std::pair<std::string_view, operator_models::Provenance>, double> seconds;
  for (const StepPart& p : parts) seconds[{p.kind, p.provenance}] += p.seconds;
  const double all = seconds_of(parts);
  std::vector<SourceShare> shares;
  for (const auto& [source, time] : seconds)
    if (time > 0)
      shares.push_back({.kind = std::string(source.first), .provenance = source.second, .share = time / all});
  std::stable_sort(shares.begin(), shares.end(),
                   [](const SourceShare& a, const SourceShare& b) { return a.share > b.share; });
  return shares;
}

}  // namespace planner
