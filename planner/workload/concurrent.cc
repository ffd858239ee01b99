#include "planner/workload/concurrent.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "operator_models/concurrency.h"

namespace planner {
namespace {

using operator_models::Concurrency;
using operator_models::Gemm;

const Gemm* product_of(const WorkOp& w) {
  const auto* gemm = std::get_if<Gemm>(&w.op);
  return gemm && gemm->batch > 0 && gemm->m > 0 && gemm->n > 0 && gemm->k > 0 ? gemm : nullptr;
}

/// What GEMMs that may run side by side have in common; `alone` tells all others apart.
using Key = std::tuple<StepPhase, hw_profiles::Precision, int, int, int>;
Key key_of(const WorkOp& w, const Gemm& gemm, int number) {
  const bool pairs = w.phase == StepPhase::backward && w.product != 0;
  const int alone = w.independent == 0 && !pairs ? number + 1 : 0;
  return {w.phase, gemm.precision, w.independent, w.independent == 0 && pairs ? w.product : 0, alone};
}

// Calls of one operator are of experts, or of steps that follow one another.
int64_t copies_of(const Scenario& s, const WorkOp& w) {
  const auto experts = w.routed ? std::max<int64_t>(1, static_cast<int64_t>(w.count)) : 1;
  return experts * s.software.instances;
}

/// Each GEMM of the group as the models see it, so many times as there are copies; of alike ones all in a row.
std::vector<Gemm> gemms_of(const ConcurrentGroup& group, const std::vector<CostedOp>& ops) {
  std::vector<Gemm> gemms;
  for (size_t i = 0; i < group.ops.size(); ++i) {
    const auto oriented_op = oriented(ops[static_cast<size_t>(group.ops[i])].work->op);
    gemms.insert(gemms.end(), static_cast<size_t>(group.copies[i]), std::get<Gemm>(oriented_op));
  }
  return gemms;
}

void share(CostedOp& op, const operator_models::Concurrent& run, double gemms) {
  operator_models::Cost& c = op.cost;
  const dsl::Seconds kernel = c.seconds - c.launch;
  const double launches = static_cast<double>(run.rounds) / gemms;
  c.launch *= launches;
  c.seconds = c.launch + kernel / run.gain + dsl::Seconds{run.overhead_seconds / gemms};
  c.at_once = run.degree;
  c.gain = run.gain;
}

}  // namespace

std::vector<ConcurrentGroup> concurrent_groups(const Scenario& s, std::span<const CostedOp> ops) {
  std::map<Key, ConcurrentGroup> groups;
  for (size_t i = 0; i < ops.size(); ++i) {
    const WorkOp& work = *ops[i].work;
    const Gemm* gemm = product_of(work);
    if (!gemm) continue;
    ConcurrentGroup& group = groups[key_of(work, *gemm, static_cast<int>(i))];
    group.ops.push_back(static_cast<int>(i));
    group.copies.push_back(copies_of(s, work));
  }
  std::vector<ConcurrentGroup> several;
  for (auto& [key, group] : groups)
    if (group.ops.size() > 1 || group.copies.front() > 1) several.push_back(std::move(group));
  return several;
}

void share_gpu(const Scenario& s, const operator_models::Device& device, std::vector<CostedOp>& ops) {
  if (s.software.concurrency == Concurrency::sequential) return;
  for (const ConcurrentGroup& group : concurrent_groups(s, ops)) {
    const std::vector<Gemm> gemms = gemms_of(group, ops);
    const operator_models::Concurrent run = run_concurrently(gemms, s.software.concurrency, device);
    for (const int number : group.ops) share(ops[static_cast<size_t>(number)], run, static_cast<double>(gemms.size()));
  }
}

}  // namespace planner
