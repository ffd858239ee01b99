// Settings that make a step fit a budget, and then shorter: against trying all of them.
#include "planner/studies/settings/tune_settings.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "tests/planner/studies/whatif/changes_sample.h"

using planner::PassAim;
using planner::SettingDecision;
using planner::SettingPass;
using planner::TunedSettings;
using sample::near;
using sample::Sets;
using sample::texts;
using sample::operator+;

namespace {

const Sets kJob{"cluster.gpus=16", "parallelism={dp: 16, microbatch: 4}", "job.global_batch=64"};

TunedSettings tuned(const Sets& base) { return planner::tune_settings(sample::reader(sample::kLlama, base)); }
planner::Plan plan(const Sets& base, const planner::Sets& sets = {}) {
  return planner::make_unchecked_plan(sample::load(sample::kLlama, base + texts(sets)).scenario);
}

Sets with_memory(const Sets& base, double share) {
  const double peak = plan(base).memory->device.peak_bytes;
  return base + Sets{"cluster.gpu.memory=" + std::to_string(peak * share) + " B"};
}

}  // namespace

TEST_CASE("the table names each pass once, and says what bounds it") {
  std::set<std::string> names;
  for (const SettingPass& pass : planner::setting_passes()) {
    CHECK(names.insert(pass.name).second);
    CHECK(std::string(pass.edits) != "");
    CHECK(std::string(pass.bound) != "");
  }
  for (const char* name : {"operator-fusion", "tensor-fusion", "tensor-partition", "recompute", "gradient-accumulation",
                           "mixed-precision"})
    CHECK(names.count(name) == 1);
}

TEST_CASE("every way of a pass can be planned, and changes what it names") {
  for (const char* more : {"parallelism.zero=1", "job.precision=fp32", "parallelism.servers=16"})
    for (const SettingPass& pass : planner::setting_passes()) {
      const Sets base = kJob + Sets{more};
      for (const planner::Sets& way : pass.ways(sample::load(sample::kLlama, base).scenario)) {
        CAPTURE(pass.name);
        CAPTURE(way.front().second);
        CHECK(plan(base, way).step);
      }
    }
}

TEST_CASE("where memory suffices no pass saves any") {
  const TunedSettings found = tuned(kJob);
  CHECK(found.fits);
  CHECK(found.memory.empty());
  for (const SettingDecision& each : found.decisions) CHECK(each.pass->aim == PassAim::time);
  CHECK(found.after.step->seconds <= found.before.step->seconds);
}

TEST_CASE("under a budget the fastest way that fits is taken, as trying all of them says") {
  for (const double share : {0.95, 0.8, 0.65, 0.5}) {
    CAPTURE(share);
    const Sets base = with_memory(kJob, share);
    const double budget = plan(base).memory->device.capacity_bytes;
    double fastest = std::numeric_limits<double>::infinity();
    for (const SettingPass& pass : planner::setting_passes())
      if (pass.aim == PassAim::memory)
        for (const planner::Sets& way : pass.ways(sample::load(sample::kLlama, base).scenario))
          if (const planner::Plan p = plan(base, way); p.memory->device.peak_bytes <= budget)
            fastest = std::min(fastest, p.step->seconds);
    const TunedSettings found = tuned(base);
    const auto chosen = std::ranges::min_element(found.memory, {}, [](const planner::MemoryWay& way) {
      return way.fits ? way.step_seconds : std::numeric_limits<double>::infinity();
    });
    REQUIRE(chosen != found.memory.end());
    CHECK(chosen->fits == found.fits);
    if (std::isfinite(fastest)) CHECK(near(chosen->step_seconds, fastest));
    if (found.fits) CHECK(found.after.memory->device.peak_bytes <= budget);
  }
}

TEST_CASE("two memory passes are joined where no single one fits; nothing fits next to nothing") {
  const Sets base = kJob + Sets{"parallelism.microbatch=4"};
  double single = std::numeric_limits<double>::infinity(), both = single;
  for (const char* recompute : {"none", "full"})
    for (const char* microbatch : {"1", "4"}) {
      const double bytes = plan(base, {{"parallelism.recompute", recompute}, {"parallelism.microbatch", microbatch}})
                               .memory->device.peak_bytes;
      const bool is_both = std::string(recompute) == "full" && std::string(microbatch) == "1";
      if (is_both) both = bytes;
      else single = std::min(single, bytes);
    }
  REQUIRE(both < single);
  const std::string between = "cluster.gpu.memory=" + std::to_string((both + single) / 2) + " B";
  const TunedSettings joined = tuned(base + Sets{between});
  CHECK(joined.fits);
  CHECK(joined.decisions.size() >= 2);
  CHECK(joined.decisions[0].pass->aim == PassAim::memory);
  CHECK(joined.decisions[1].pass->aim == PassAim::memory);
  const TunedSettings none = tuned(base + Sets{"cluster.gpu.memory=1 MB"});
  CHECK_FALSE(none.fits);
  CHECK(none.decisions.empty());
  CHECK(none.memory.size() > 3);
}

TEST_CASE("a decision's gain is the step without it less the step with it, and none loses") {
  for (const Sets& base : {kJob, kJob + Sets{"job.precision=fp32"}, with_memory(kJob, 0.6)}) {
    const TunedSettings found = tuned(base);
    CHECK(near(plan(base, found.sets()).step->seconds, found.after.step->seconds));
    for (const SettingDecision& each : found.decisions) {
      CAPTURE(each.pass->name);
      planner::Sets others;
      for (const SettingDecision& other : found.decisions)
        if (&other != &each) others.insert(others.end(), other.sets.begin(), other.sets.end());
      const planner::Plan without = plan(base, others);
      if (!each.gain_seconds) {
        CHECK(without.memory->device.peak_bytes > found.budget_bytes);
        continue;
      }
      CHECK(*each.gain_seconds > 0);
      CHECK(near(*each.gain_seconds, without.step->seconds - found.after.step->seconds));
    }
  }
}

TEST_CASE("16 bits meet a budget where they save memory, and nothing else is needed") {
  const Sets base = kJob + Sets{"job.precision=fp32"};
  const double single = plan(base).memory->device.peak_bytes,
               half = plan(base, {{"job.precision", "bf16"}}).memory->device.peak_bytes;
  REQUIRE(half < 0.98 * single);
  const Sets between = base + Sets{"cluster.gpu.memory=" + std::to_string((half + single) / 2) + " B"};
  const TunedSettings found = planner::tune_settings(sample::reader(sample::kLlama, between), [](const SettingPass& p) {
    return std::string(p.name) == "mixed-precision";
  });
  CHECK(found.fits);
  REQUIRE(found.decisions.size() == 1);
  CHECK_FALSE(found.decisions.front().gain_seconds);  // nothing fits without it
}
