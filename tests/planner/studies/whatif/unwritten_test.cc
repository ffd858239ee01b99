// Defaults that change a plan most: each alternative is the plan of a text that writes it, and irrelevant defaults are
// not listed.
#include "planner/studies/whatif/unwritten.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "planner/plan/goals.h"
#include "tests/planner/studies/whatif/changes_sample.h"

using planner::Alternative;
using planner::LoadedScenario;
using planner::Plan;
using planner::Unwritten;
using sample::Sets;
using sample::texts;
using sample::operator+;

namespace {

/// A model large enough for its activations to count. No software is named.
const std::string kText = R"(
model: {layers: 16, hidden: 4096, heads: 32, vocab: 51200, positions: 2048, tied_embeddings: true}
job: {sequence: 2048, global_batch: 64, precision: bf16, tokens: 1e9}
cluster: {use: dgx-a100-80gb, gpus: 8}
parallelism: {tp: 4, microbatch: 4}
)";
const std::vector<std::string> kProfiles{"megatron-core", "nemo", "composer-fsdp", "ddp-apex", "no-such-software"};

planner::Reread reader(const std::string& text, const Sets& base) {
  return [read = sample::reader(text, base)](const planner::Sets& sets) -> std::optional<LoadedScenario> {
    for (const auto& [path, value] : sets)
      if (value == "no-such-software") return std::nullopt;
    return read(sets);
  };
}

std::vector<Unwritten> found(const std::string& text, const Sets& base = {}) {
  const LoadedScenario loaded = sample::load(text, base);
  return planner::unwritten_fields(loaded, planner::plan_with_goals(loaded), kProfiles, reader(text, base));
}

const Unwritten* field(const std::vector<Unwritten>& all, const std::string& name) {
  const auto at = std::ranges::find(all, name, &Unwritten::field);
  return at == all.end() ? nullptr : &*at;
}

}  // namespace

TEST_CASE("an alternative is the plan of the text that writes it, and differs by more than a tenth") {
  const std::vector<Unwritten> all = found(kText);
  const Plan plan = planner::plan_with_goals(sample::load(kText));
  for (const char* name : {"parallelism.recompute", "software.use", "software.attention"})
    CHECK_MESSAGE(field(all, name), name);
  for (const Unwritten& unwritten : all) {
    CHECK(!unwritten.alternatives.empty());
    CHECK(std::ranges::is_sorted(unwritten.alternatives, {}, &Alternative::seconds));
    for (const Alternative& a : unwritten.alternatives) {
      CAPTURE(unwritten.field + "=" + a.value);
      CHECK(a.value != unwritten.value);
      const Plan other = planner::plan_with_goals(sample::load(kText, {unwritten.field + "=" + a.value}));
      CHECK(other.step->seconds == a.seconds);
      CHECK(other.memory->device.peak_bytes == a.peak_bytes);
      CHECK(other.feasible == a.feasible);
      const double slower = std::fabs(a.seconds / plan.step->seconds - 1);
      const double larger = std::fabs(a.peak_bytes / plan.memory->device.peak_bytes - 1);
      CHECK((slower > 0.1 || larger > 0.1 || a.feasible != plan.feasible));
    }
  }
}

TEST_CASE("an alternative that is left out changes little") {
  const std::vector<Unwritten> all = found(kText);
  const Plan plan = planner::plan_with_goals(sample::load(kText));
  const Unwritten* recompute = field(all, "parallelism.recompute");
  REQUIRE(recompute);
  CHECK(recompute->value == "none");
  for (const std::string value : {"selective", "full"}) {
    if (std::ranges::count(recompute->alternatives, value, &Alternative::value)) continue;
    const Plan other = planner::plan_with_goals(sample::load(kText, {"parallelism.recompute=" + value}));
    CHECK(other.step->seconds == doctest::Approx(plan.step->seconds).epsilon(0.1));
    CHECK(other.memory->device.peak_bytes == doctest::Approx(plan.memory->device.peak_bytes).epsilon(0.1));
  }
}

TEST_CASE("what is written has no alternatives") {
  CHECK(!field(found(kText, {"parallelism.recompute=none"}), "parallelism.recompute"));
  const std::vector<Unwritten> named = found(kText, {"software={use: megatron-core}"});
  CHECK(!field(named, "software.use"));
  CHECK(!field(named, "software.attention"));  // the profile's own
  CHECK(field(named, "parallelism.recompute"));
  CHECK(!field(found(kText, {"software.attention=flash2"}), "software.attention"));
  // The recipes of a release say what it recomputes.
  CHECK(!field(found(kText, {"software={use: megatron-bridge, release: 25.09}", "model.family=llama3"}),
               "parallelism.recompute"));
}

TEST_CASE("what cannot be computed again has no alternatives") {
  CHECK(!field(found(kText, {"job.phase=forward"}), "parallelism.recompute"));
  CHECK(found(kText, {"parallelism.tp=3"}).empty());  // a layout that cannot be has no figures
}

TEST_CASE("a plan that does not fit is told of what would make it") {
  const Sets small{"software={use: megatron-core}", "cluster.gpu.memory=24 GiB", "parallelism.microbatch=8"};
  const Plan plan = planner::plan_with_goals(sample::load(kText, small));
  REQUIRE(!plan.feasible);
  const std::vector<Unwritten> all = found(kText, small);
  const Unwritten* recompute = field(all, "parallelism.recompute");
  REQUIRE(recompute);
  CHECK(std::ranges::count(recompute->alternatives, true, &Alternative::feasible) > 0);
}
