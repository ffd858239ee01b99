// dPRO's own runs (Hu et al. 2022, tables 2 to 4): 16 V100 on two servers at 100 Gb/s, TensorFlow, 32 bits.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "planner/studies/settings/tune_settings.h"
#include "tests/planner/sample.h"

using sample::Sets;
using sample::operator+;

namespace {

std::string text() {
  std::ifstream in("scenarios/dpro-bert-base.yaml");
  return {std::istreambuf_iterator<char>(in), {}};
}

planner::Plan plan(const Sets& sets) { return planner::make_plan(sample::load(text(), sets, "scenarios").scenario); }
double gigabytes(const planner::Plan& p) { return p.memory->device.peak_bytes / 1e9; }
double steps(const planner::Plan& a, const planner::Plan& b) { return a.step->seconds / b.step->seconds; }

const Sets kTwice{"job.global_batch=1024"};  // 64 sequences on each GPU
const Sets kWhole = kTwice + Sets{"parallelism.microbatch=64"};
const Sets kRecompute = kWhole + Sets{"parallelism.recompute=selective"};
const Sets kAccumulate = kTwice + Sets{"parallelism.microbatch=32"};

/// Horovod's synthetic benchmark has images of 224 x 224 for every model.
Sets images(const char* model) { return {std::string("model.use=") + model, "job.sequence=1", "model.image=224"}; }

}  // namespace

TEST_CASE("table 3: memory at 32 samples of a GPU, and what a sequence of BERT adds") {
  struct Row {
    const char* model;
    double measured;
  };
  for (const Row& r : {Row{"resnet-50", 5.41}, {"vgg-16", 5.91}, {"inception-v3", 3.91}}) {
    CAPTURE(std::string(r.model));
    CHECK(gigabytes(plan(images(r.model))) == doctest::Approx(r.measured).epsilon(0.12));
  }
  CHECK(gigabytes(plan({})) == doctest::Approx(9.96).epsilon(0.12));
  const double slope = gigabytes(plan(kWhole)) - gigabytes(plan({}));
  CHECK(slope == doctest::Approx(16.42 - 9.96).epsilon(0.08));
}

TEST_CASE("table 4: recomputation and accumulation cost what they did, by their ratios") {
  const planner::Plan whole = plan(kWhole), recompute = plan(kRecompute), accumulate = plan(kAccumulate);
  CHECK(std::abs(steps(recompute, whole) - 696.13 / 622.12) < 0.03);
  CHECK(std::abs(steps(accumulate, whole) - 714.22 / 622.12) < 0.03);
  CHECK(gigabytes(recompute) < gigabytes(accumulate));
  CHECK(gigabytes(accumulate) == doctest::Approx(gigabytes(plan({}))));
}

TEST_CASE("table 4: recomputation is chosen where one microbatch does not fit") {
  const double between = (gigabytes(plan(kWhole)) + gigabytes(plan(kAccumulate))) / 2;
  const Sets budget = kWhole + Sets{"cluster.gpu.memory=" + std::to_string(between) + " GB"};
  const auto reread = [&](const planner::Sets& more) {
    Sets sets = budget;
    for (const auto& [path, value] : more) sets.push_back(path + "=" + value);
    return std::optional(sample::load(text(), sets, "scenarios"));
  };
  // The table has the two memory passes alone; 16 bits would be faster.
  const planner::TunedSettings tuned = planner::tune_settings(
      reread, [](const planner::SettingPass& pass) { return pass.aim == planner::PassAim::memory; });
  const planner::MemoryWay* fastest = nullptr;
  for (const planner::MemoryWay& way : tuned.memory)
    if (way.fits && (!fastest || way.step_seconds < fastest->step_seconds)) fastest = &way;
  REQUIRE(fastest);
  CHECK(fastest->passes == "recompute");
}
