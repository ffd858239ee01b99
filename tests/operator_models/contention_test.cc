// Which row of the contention table two busy resources find.
#include "operator_models/contention.h"

#include <doctest/doctest.h>

#include "tests/operator_models/devices.h"

using operator_models::Calibration;
using operator_models::slowdown;

TEST_CASE("a table without rows slows nothing down") {
  CHECK(slowdown(Calibration{}, "compute", "nvlink") == 1);
  CHECK(slowdown(Calibration{}, "", "") == 1);
}

TEST_CASE("the row of the pair comes before the row of the pair reversed, and both before the default") {
  Calibration c;
  c.contention["default"] = {.slowdown = 1.5};
  CHECK(slowdown(c, "compute", "nvlink") == 1.5);
  c.contention["nvlink+compute"] = {.slowdown = 1.25};
  CHECK(slowdown(c, "compute", "nvlink") == 1.25);
  CHECK(slowdown(c, "nvlink", "compute") == 1.25);
  c.contention["compute+nvlink"] = {.slowdown = 1.125};
  CHECK(slowdown(c, "compute", "nvlink") == 1.125);
  CHECK(slowdown(c, "nvlink", "compute") == 1.25);
}

TEST_CASE("a row names its own pair only") {
  Calibration c;
  c.contention["compute+nvlink"] = {.slowdown = 2};
  CHECK(slowdown(c, "compute", "infiniband") == 1);
  CHECK(slowdown(c, "compute", "nv") == 1);
  CHECK(slowdown(c, "nvlink", "nvlink") == 1);
  c.contention["nvlink+infiniband"] = {.slowdown = 3};
  CHECK(slowdown(c, "infiniband", "nvlink") == 3);
}

TEST_CASE("contention of the catalogue slows by a little, and never speeds up") {
  for (const test::MachineNames& names : test::kAllMachines) {
    CAPTURE(names.calibration);
    const Calibration c = test::machine(names).calibration;
    REQUIRE(c.contention.contains("default"));
    for (const auto& [pair, row] : c.contention) {
      const auto& said = pair;
      CHECK_MESSAGE(row.slowdown >= 1, said);
      CHECK_MESSAGE(row.slowdown < 1.5, said);
      CHECK_MESSAGE((pair == "default" || pair.find('+') != std::string::npos), said);
    }
  }
}
