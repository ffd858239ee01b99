// On which machine the order of two plans turns.
#include "planner/studies/whatif/crossover.h"

#include <doctest/doctest.h>

#include "planner/plan/machine_changes.h"
#include "tests/planner/sample.h"

using planner::Crossover;
using planner::LoadedScenario;
using sample::Sets;
using sample::operator+;

namespace {

const Sets kRun{"job.tokens=1e9", "cluster.price=2 USD/h"};

LoadedScenario llama(const Sets& sets) { return sample::load(sample::kLlama, Sets{"cluster.gpus=16"} + kRun + sets); }

Crossover of(const std::vector<Crossover>& rows, const std::string& field) {
  for (const Crossover& row : rows)
    if (row.field == field) return row;
  FAIL("no such field: ", field);
  return {};
}

double seconds(const LoadedScenario& s, const std::string& field, double factor) {
  planner::Scenario scaled = s.scenario;
  for (const planner::MachineChange& change : planner::machine_changes(scaled, false))
    if (change.field == field) change.scale(scaled, factor);
  return sample::plan(scaled).step->seconds;
}

}  // namespace

TEST_CASE("at the factor where the order turns both plans are equally fast") {
  // A pipeline over the network against tensor parallelism over the links.
  const LoadedScenario a = llama({"parallelism.pp=2"}), b = llama({"parallelism.tp=2", "parallelism.zero=1"});
  size_t found = 0;
  for (const Crossover& row : planner::crossovers(a, b))
    for (const std::optional<double>& factor : {row.below, row.above}) {
      if (!factor) continue;
      CAPTURE(row.field);
      CAPTURE(*factor);
      CHECK(*factor >= 0.25);
      CHECK(*factor <= 4);
      if (row.field == "cluster.gpu.memory") continue;
      ++found;
      CHECK(seconds(a, row.field, *factor) == doctest::Approx(seconds(b, row.field, *factor)).epsilon(1e-4));
    }
  CHECK(found > 0);
}

TEST_CASE("a plan that does not fit any more loses, whatever its step") {
  const LoadedScenario a = llama({"cluster.gpu.memory=12 GB"}),
                       b = llama({"cluster.gpu.memory=12 GB", "parallelism.tp=2", "parallelism.zero=1"});
  const planner::Memory of_a = *sample::plan(a.scenario).memory, of_b = *sample::plan(b.scenario).memory;
  REQUIRE(of_a.device.peak_bytes > of_b.device.peak_bytes);
  REQUIRE(of_a.device.peak_bytes / of_a.device.capacity_bytes > 0.25);
  const Crossover memory = of(planner::crossovers(a, b), "cluster.gpu.memory");
  CHECK(*memory.below == doctest::Approx(of_a.device.peak_bytes / of_a.device.capacity_bytes).epsilon(1e-3));
  CHECK(!memory.above);
}

TEST_CASE("the goal decides, with its limits and conditions") {
  const Sets small{"cluster.gpus=8"};
  const double days = *sample::plan(llama(small).scenario).cost->days;
  // A deadline that the slower plan only just meets turns the order with less of a peak.
  const Sets deadline{"goal={minimize: gpus, deadline: " + std::to_string(days * 1.01) + " d}"};
  const std::vector<Crossover> rows = planner::crossovers(llama(small + deadline), llama(deadline));
  const Crossover flops = of(rows, "cluster.gpu.flops");
  REQUIRE(flops.below);
  CHECK(*flops.below > 0.9);
  CHECK(!flops.above);  // fewer GPUs are the goal, however fast they are
}
