#include "planner/plan/step_sources.h"

#include <algorithm>
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
