#include "planner/workload/concurrent.h"

#include <algorithm>
#include <compare>
#include <map>
#include <utility>

#include "operator_models/concurrency.h"
#include "planner/workload/model_view.h"

namespace planner {
namespace {

using operator_models::Concurrency;
using operator_models::StreamEnds;

const Gemm* product_of(const WorkOp& w) {
  const auto* gemm = std::get_if<Gemm>(&w.op);
  return gemm && gemm->batch > 0 && gemm->m > 0 && gemm->n > 0 && gemm->k > 0 ? gemm : nullptr;
}

/// The common properties of GEMMs that may run in parallel. The number of calls is one of them, since the calls of one
/// follow one another. `alone` separates all others.
struct ConcurrencyKey {
  StepPhase phase = StepPhase::forward;
  hw_profiles::Precision precision = {};
  double count = 1;
  int independent = 0, wavefront = 0, product = 0, alone = 0;
  auto operator<=>(const ConcurrencyKey&) const = default;
};
ConcurrencyKey key_of(const WorkOp& w, const Gemm& gemm, int number) {
  ConcurrencyKey key{.phase = w.phase, .precision = gemm.precision, .count = w.count};
  if (w.wavefront != 0) key.wavefront = w.wavefront;
  else if (w.independent != 0) key.independent = w.independent;
  else if (w.phase == StepPhase::backward && w.product != 0) key.product = w.product;
  else key.alone = number + 1;
  return key;
}

// Calls of one operator are of experts, of layers and directions beside one another, or of steps that follow one
// another.
int64_t copies_of(const Scenario& s, const WorkOp& w) {
  const auto experts = w.routed ? std::max<int64_t>(1, static_cast<int64_t>(w.count)) : 1;
  return experts * w.beside * s.software.instances;
}

/// Instances of a job, directions and layers of a recurrent row go on to their next GEMM; of all others the results are
/// needed together.
StreamEnds ends_of(const Scenario& s, const WorkOp& w) {
  return s.software.instances > 1 || w.beside > 1 || w.wavefront != 0 ? StreamEnds::back_to_back : StreamEnds::joined;
}

/// Each GEMM of the group as the models see it, once per copy; identical ones are adjacent, also across operators: the
/// predictor treats them as one kind.
std::vector<Gemm> gemms_of(const ConcurrentGroup& group, const std::vector<CostedOp>& ops) {
  std::vector<Gemm> gemms;
  for (size_t i = 0; i < group.ops.size(); ++i) {
    const auto oriented_op = oriented(ops[static_cast<size_t>(group.ops[i])].work->op);
    const auto& gemm = std::get<Gemm>(oriented_op);
    const auto last = std::find_if(gemms.rbegin(), gemms.rend(), [&](const Gemm& g) { return alike(g, gemm); });
    gemms.insert(last == gemms.rend() ? gemms.end() : last.base(), static_cast<size_t>(group.copies[i]), gemm);
  }
  return gemms;
}

void share(CostedOp& op, const operator_models::Concurrent& run, double gemms) {
  operator_models::Cost& c = op.cost;
  const dsl::Seconds alone = c.seconds, kernel = c.seconds - c.launch;
  const double launches = static_cast<double>(run.rounds) / gemms;
  c.launch *= launches;
  c.seconds = c.launch + kernel / run.gain + dsl::Seconds{run.overhead_seconds / gemms};
  c.at_once = run.degree;
  c.gain = alone / c.seconds;
}

}  // namespace

std::vector<ConcurrentGroup> concurrent_groups(const Scenario& s, std::span<const CostedOp> ops) {
  std::map<ConcurrencyKey, ConcurrentGroup> groups;
  for (size_t i = 0; i < ops.size(); ++i) {
    const WorkOp& work = *ops[i].work;
    const Gemm* gemm = product_of(work);
    if (!gemm) continue;
    ConcurrentGroup& group = groups[key_of(work, *gemm, static_cast<int>(i))];
    group.ops.push_back(static_cast<int>(i));
    group.copies.push_back(copies_of(s, work));
    group.ends = ends_of(s, work);
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
    const operator_models::Concurrent run = run_concurrently(gemms, s.software.concurrency, device, group.ends);
    for (const int number : group.ops) share(ops[static_cast<size_t>(number)], run, static_cast<double>(gemms.size()));
  }
}

}  // namespace planner
