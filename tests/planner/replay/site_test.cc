// Where the ranks of a group sit.
#include "planner/replay/site.h"

#include <doctest/doctest.h>

#include "tests/planner/replay/machines.h"

using namespace planner::replay;

namespace {

std::vector<int64_t> inside(const std::vector<int64_t>& members, const Site& site) {
  const operator_models::Group group = group_of(static_cast<int64_t>(members.size()), members, site);
  CHECK(group.ranks == static_cast<int64_t>(members.size()));
  return {group.inside.begin(), group.inside.end()};
}

}  // namespace

TEST_CASE("neighbours share a node, unless hosts are said") {
  const operator_models::Machine machine = sample::machine();
  using Inside = std::vector<int64_t>;
  CHECK(inside({0, 1}, {&machine}) == Inside{2, 2});
  CHECK(inside({3, 4}, {&machine}) == Inside{1, 2});
  CHECK(inside({0, 1, 2, 3, 4, 5}, {&machine}) == Inside{4, 6});
  CHECK(inside({0, 4, 8}, {&machine}) == Inside{1, 3});
  CHECK(inside({0, 1}, {&machine, {{0, 0}, {1, 1}}}) == Inside{1, 2});
  CHECK(inside({3, 4}, {&machine, {{3, 7}, {4, 7}}}) == Inside{2, 2});
  CHECK(inside({0, 1, 2}, {&machine, {{0, 5}}}) == Inside{2, 3});  // the others as they are
}

TEST_CASE("a group whose members nobody names has none") {
  const operator_models::Machine machine = sample::machine();
  const operator_models::Group group = group_of(8, {0, 1}, {&machine});
  CHECK(group.ranks == 8);
  CHECK(group.inside.empty());
}

TEST_CASE("the device of a machine is whole") {
  const operator_models::Machine machine = sample::machine();
  const operator_models::Device device = device_of(machine);
  CHECK(device.gpu == &machine.gpu);
  CHECK(device.network == &machine.network);
  CHECK(device.calibration == &machine.calibration);
  CHECK(device.host == &machine.host);
  CHECK(!device.bursts);
}
