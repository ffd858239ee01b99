#include "planner/uncertainty.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

namespace planner {
namespace {

void add(std::vector<StepPart>& parts, const std::vector<CostedOp>& ops, double count, bool mixture) {
  for (const CostedOp& op : ops)
    parts.push_back({.kind = operator_models::kind_of(op.work->op),
                     .provenance = op.cost.provenance,
                     .seconds = count * op.work->count * (op.communication ? op.exposed : op.cost.seconds.value),
                     .relative_error = op.cost.relative_error,
                     .mixture = mixture});
}

bool has_routed(const std::vector<CostedOp>& ops) {
  return std::any_of(ops.begin(), ops.end(), [](const CostedOp& op) { return op.work->routed; });
}

double seconds_of(std::span<const StepPart> parts) {
  double sum = 0;
  for (const StepPart& p : parts) sum += p.seconds;
  return sum;
}

}  // namespace

std::vector<StepPart> step_parts(const CostedWorkload& c, const Step& step) {
  std::vector<StepPart> parts;
  const auto index = static_cast<size_t>(step.stage_class);
  const Chunk held = c.workload.classes[index].total();
  for (size_t i = 0; i < held.size(); ++i)
    if (held[i] > 0)
      add(parts, c.blocks[i].ops, static_cast<double>(c.workload.microbatches * held[i]), has_routed(c.blocks[i].ops));
  add(parts, c.classes[index].step_ops, 1, false);
  if (step.pipeline.send > 0)
    parts.push_back({.kind = operator_models::kind_of(c.workload.boundary),
                     .provenance = c.boundary.provenance,
                     .seconds = step.pipeline.send,
                     .relative_error = c.boundary.relative_error});
  return parts;
}

KindErrors kind_errors(const Software& software, std::span<const StepPart> parts) {
  KindErrors errors;  // first seconds x standard error
  double seconds = 0, mixtures = 0;
  for (const StepPart& p : parts) {
    // Names of one kind are mostly one text; comparing the letters is for the others.
    auto row = std::find_if(errors.kinds.begin(), errors.kinds.end(), [&](const auto& kind) {
      return kind.first == p.kind || std::string_view(kind.first) == p.kind;
    });
    if (row == errors.kinds.end()) row = errors.kinds.insert(row, {p.kind, 0});
    row->second += p.seconds * p.relative_error;
    seconds += p.seconds;
    if (p.mixture) mixtures += p.seconds;
  }
  if (seconds == 0) errors.kinds.clear();
  for (auto& [kind, error] : errors.kinds) error /= seconds;
  errors.software =
      std::hypot(software.relative_error, seconds > 0 ? mixtures / seconds * software.experts.relative_error : 0);
  return errors;
}

double operators_error(const KindErrors& errors) {
  double squares = 0;
  for (const auto& [kind, error] : errors.kinds) squares += error * error;
  return std::sqrt(squares);
}

double step_error(const KindErrors& errors) { return std::hypot(operators_error(errors), errors.software); }

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
