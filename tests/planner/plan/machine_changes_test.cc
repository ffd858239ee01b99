// Changes of a machine move their own fields and nothing else.
#include "planner/plan/machine_changes.h"

#include <doctest/doctest.h>

#include "tests/planner/search/open_sample.h"

namespace {

/// Members that a change moves.
std::vector<std::string> moved(const planner::Scenario& s, const planner::MachineChange& change) {
  planner::Scenario scaled = s;
  change.scale(scaled, 2);
  const auto before = sample::members(s), after = sample::members(scaled);
  std::vector<std::string> out;
  for (const auto& [path, value] : before)
    if (after.at(path) != value) out.push_back(path);
  return out;
}

}  // namespace

TEST_CASE("a change of the machine moves the field that it is named after, peaks all together") {
  const planner::Scenario s = sample::llama({"cluster.price=2 USD/h", "cluster.power_price=0.1 USD/kWh"});
  const std::vector<planner::MachineChange> all = planner::machine_changes(s, true);
  CHECK(all.size() == 4 + 2 * s.cluster.network.size() + 3 + 2);
  for (const planner::MachineChange& change : all) {
    CAPTURE(change.field);
    const std::vector<std::string> paths = moved(s, change);
    if (change.field != "cluster.gpu.flops") {
      CHECK(paths == std::vector<std::string>{change.field});
      continue;
    }
    CHECK(paths.size() > 1);
    for (const std::string& path : paths) CHECK(path.starts_with("cluster.gpu.flops."));
  }
}

TEST_CASE("changes without effect are left out: no price, nothing in the host's memory") {
  const planner::Scenario s = sample::llama({"cluster.price=null"});
  for (const planner::MachineChange& change : planner::machine_changes(s, false)) {
    CHECK(!change.field.starts_with("cluster.host"));
    CHECK(!change.field.ends_with("price"));
  }
}

TEST_CASE("scaling there and back is the same machine, up to rounding") {
  const planner::Scenario s = sample::llama();
  for (const planner::MachineChange& change : planner::machine_changes(s, false)) {
    planner::Scenario scaled = s;
    change.scale(scaled, 4);
    change.scale(scaled, 0.25);
    CHECK(sample::members(scaled) == sample::members(s));
  }
}
