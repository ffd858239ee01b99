// Knobs of a machine move their own fields and nothing else.
#include "planner/plan/knobs.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/planner/search/open_sample.h"

namespace {

/// Members that a knob changes.
std::vector<std::string> moved(const planner::Scenario& s, const planner::Knob& knob) {
  planner::Scenario scaled = s;
  knob.scale(scaled, 2);
  const auto before = sample::members(s), after = sample::members(scaled);
  std::vector<std::string> out;
  for (const auto& [path, value] : before)
    if (after.at(path) != value) out.push_back(path);
  return out;
}

}  // namespace

TEST_CASE("a knob moves the field that it is named after, peaks all together") {
  const planner::Scenario s = sample::llama({"cluster.price=2 USD/h", "cluster.power_price=0.1 USD/kWh"});
  const std::vector<planner::Knob> knobs = planner::knobs_of(s, true);
  CHECK(knobs.size() == 4 + 2 * s.cluster.network.size() + 3 + 2);
  for (const planner::Knob& knob : knobs) {
    CAPTURE(knob.field);
    const std::vector<std::string> paths = moved(s, knob);
    if (knob.field != "cluster.gpu.flops") {
      CHECK(paths == std::vector<std::string>{knob.field});
      continue;
    }
    CHECK(paths.size() > 1);
    for (const std::string& path : paths) CHECK(path.starts_with("cluster.gpu.flops."));
  }
}

TEST_CASE("knobs without effect are left out: no price, nothing in the host's memory") {
  const planner::Scenario s = sample::llama({"cluster.price=null"});
  for (const planner::Knob& knob : planner::knobs_of(s, false)) {
    CHECK(!knob.field.starts_with("cluster.host"));
    CHECK(!knob.field.ends_with("price"));
  }
}

TEST_CASE("scaling there and back is the same machine, up to rounding") {
  const planner::Scenario s = sample::llama();
  for (const planner::Knob& knob : planner::knobs_of(s, false)) {
    planner::Scenario scaled = s;
    knob.scale(scaled, 4);
    knob.scale(scaled, 0.25);
    CHECK(sample::members(scaled) == sample::members(s));
  }
}
