// The lower bound of a step against the step that a plan has.
#include "planner/plan/least_step.h"

#include <doctest/doctest.h>

#include "tests/planner/sample.h"

using planner::Scenario;
using planner::StageSums;
using planner::StepWide;
using sample::gpt;
using sample::llama;
using sample::Sets;
using sample::operator+;

namespace {

/// Known parts of a step before its pipeline is timed.
struct Known {
  explicit Known(const Scenario& s) : costed(planner::cost_workload(s, planner::build_workload(s))) {
    profile = planner::pipeline_profile(s, costed.workload.deal, costed.blocks);
    for (const planner::CostedStage& stage : costed.classes) {
      sums.push_back(stage.sums);
      wide.push_back(planner::step_wide(s, stage.step_ops));
    }
    for (const planner::StageClass& stage : costed.workload.classes) holdings.push_back(stage);
  }
  double least(const Scenario& s) const {
    const planner::LeastMakespans makespans =
        least_makespans(s, costed.workload.deal, profile, costed.boundary.seconds.value);
    return least_step_seconds(s, {costed.workload.deal, sums, wide, holdings, makespans});
  }
  double least_of_blocks(const Scenario& s) const { return least_step_seconds(s, {costed.workload.deal, sums}); }
  double least_of_work(const Scenario& s) const {
    std::vector<planner::StageTime> times;
    for (const StageSums& each : sums) times.push_back(each.time);
    return least_work_seconds(s, costed.workload.deal, times);
  }

  planner::CostedWorkload costed;
  planner::PipelineProfile profile;
  std::vector<StageSums> sums;
  std::vector<StepWide> wide;
  std::vector<planner::StageHoldings> holdings;
};

/// CHECKs that the step takes no less than its bounds, and no longer than `most` times the sharper one.
void check_bounds(const Scenario& s, double most) {
  const Known known(s);
  const double seconds = sample::plan(s).step->seconds;
  CHECK(known.least(s) <= seconds);
  CHECK(known.least_of_blocks(s) <= known.least(s));
  CHECK(known.least_of_work(s) == known.least_of_blocks(s));
  CHECK(seconds <= most * known.least(s));
}

const std::vector<Sets> kLayouts = {
    {},
    {"parallelism.pp=4", "cluster.gpus=32"},
    {"parallelism.pp=4", "parallelism.interleave=2", "cluster.gpus=64"},
    {"parallelism.pp=4", "parallelism.schedule=gpipe", "cluster.gpus=32"},
    {"parallelism.pp=4", "parallelism.schedule=zb-h1", "cluster.gpus=32"},
    {"parallelism.pp=4", "parallelism.interleave=2", "parallelism.schedule=zb-v"},
    {"parallelism.pp=4", "parallelism.interleave=2", "parallelism.schedule=v-half"},
    {"parallelism.pp=4", "parallelism.interleave=2", "parallelism.schedule=dualpipe-v"},
    {"parallelism.tp=4", "cluster.gpus=64", "parallelism.zero=1"},
};

}  // namespace

TEST_CASE("no step takes less than its bound, which is near it") {
  for (const Sets& layout : kLayouts) {
    CAPTURE(layout.empty() ? "" : layout.front());
    CAPTURE(layout.empty() ? "" : layout.back());
    for (const Sets& more : {Sets{}, Sets{"software.straggling=0.02"}, Sets{"job.global_batch=512"}}) {
      check_bounds(gpt(layout + more), 1.3);
      check_bounds(llama(layout + more), 1.3);
    }
  }
}

TEST_CASE("no step of ranks that compute faster takes less than its bound") {
  for (const Sets& layout : kLayouts)
    for (const char* speedup : {"cluster.gpu.speedup=4", "cluster.gpu.speedup=0.5"})
      check_bounds(llama(layout + Sets{speedup, "software.straggling=0.05"}), 1.5);
}
