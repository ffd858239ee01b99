// Gradients that are reduced in buckets: how many, how much each, and what sticks out of the backward pass.
#include <doctest/doctest.h>

#include <cmath>

#include "planner/tuning/strategy.h"
#include "planner/workload/overlap.h"
#include "planner/workload/placement.h"
#include "tests/planner/sample.h"

using operator_models::Collective;
using planner::HiddenTransfer;
using planner::Scenario;
using planner::StepPhase;
using sample::llama;
using sample::near;
using sample::Sets;
using sample::operator+;

namespace {

planner::WorkOp reduction(const planner::Workload& w, const char* name) {
  return sample::only(w.classes.front().step_ops, name, StepPhase::backward);
}

double exposed(double cover, int buckets, double seconds_each) {
  std::vector<HiddenTransfer> transfers{
      {.seconds = seconds_each, .count = double(buckets), .bucket_share = 1.0 / buckets}};
  return planner::expose(transfers, {.seconds = cover, .last_share = 0.5});
}

// The same by the simulation of tuning: pieces of one size, each with a bucket.
double simulated(double cover, int buckets, double seconds_each) {
  planner::tuning::Backward pass;
  for (int i = 0; i < buckets; ++i)
    pass.pieces.push_back({.name = "", .seconds = cover / buckets, .gradient_bytes = 1});
  const planner::tuning::Sync sync([&](double, int) { return seconds_each; }, 1);
  return planner::tuning::replay(pass, planner::tuning::FusionStrategy(pass.pieces.size()), sync).step_seconds - cover;
}

}  // namespace

TEST_CASE("as many buckets of one size as none is larger than the software's") {
  struct Row {
    const char* zero;
    const char* name;
  };
  for (const Row& row :
       {Row{"parallelism.zero=0", "data.all-reduce"}, Row{"parallelism.zero=1", "data.reduce-scatter"}}) {
    CAPTURE(row.name);
    const Scenario whole = llama({row.zero});
    const planner::Workload workload = sample::workload(whole);
    const planner::WorkOp once = reduction(workload, row.name);
    const double bytes = std::get<Collective>(once.op).bytes.value;
    CHECK(once.count == 1);
    for (const double bucket : {2 * bytes, bytes, bytes / 2, bytes / 2.5, 25e6}) {
      Scenario s = whole;
      s.software.bucket_bytes = {bucket};
      const planner::Workload cut = sample::workload(s);
      const planner::WorkOp op = reduction(cut, row.name);
      CHECK(op.count == std::ceil(bytes / bucket));
      CHECK(near(op.count * std::get<Collective>(op.op).bytes.value, bytes));
    }
  }
}

TEST_CASE("what sticks out of buckets is what a simulation of them says") {
  for (const int buckets : {1, 2, 3, 5, 24, 100})
    for (const double seconds : {1e-4, 1e-3, 5e-3, 0.04, 0.3}) {
      CAPTURE(buckets);
      CAPTURE(seconds);
      CHECK(near(exposed(0.1, buckets, seconds), simulated(0.1, buckets, seconds)));
    }
}

TEST_CASE("small buckets cost their starts, one bucket hides nothing, and something between is best") {
  auto step = [](double bucket) {
    Scenario s = llama({"cluster.gpus=64"});
    s.software.bucket_bytes = {bucket};
    return sample::plan(s).step->seconds;
  };
  const double small = step(1e5), between = step(1e8), one = step(1e15);
  CHECK(between < small);
  CHECK(between < one);
}
