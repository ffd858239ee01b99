// Memory overflows, and their messages.
#include "planner/plan/fits.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/planner/sample.h"

namespace {

using planner::FitVerdict;
using planner::Memory;
using planner::Overflow;
using planner::Scenario;
using planner::StageMemory;
using planner::Violation;

constexpr double kGiB = 1024.0 * 1024 * 1024;

Memory memory_of(const Scenario& s) { return planner::make_memory(s, planner::build_workload(s)); }

std::vector<Violation> violations_of(const Scenario& s) {
  return planner::memory_told(memory_of(s), FitVerdict::does_not_fit);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Stages with one part each beside a small rest.
Memory two_stages(double StageMemory::*part, double gib) {
  Memory memory;
  memory.device.capacity_bytes = memory.device.usable_bytes = 10 * kGiB;
  memory.device.error.sd = 0.01;
  memory.stages = {{.stage = 0, .weights = kGiB, .activations = kGiB}, {.stage = 1, .device_overhead = kGiB}};
  memory.stages[1].*part = gib * kGiB;
  for (const StageMemory& stage : memory.stages)
    memory.device.peak_bytes = std::max(memory.device.peak_bytes, stage.total());
  return memory;
}

}  // namespace

TEST_CASE("an overflow names the fullest stage and the largest part of what it holds") {
  const struct {
    double StageMemory::*part;
    const char* name;
  } rows[] = {
      {&StageMemory::weights, "weights"},
      {&StageMemory::gradients, "gradients"},
      {&StageMemory::optimizer, "optimizer states"},
      {&StageMemory::activations, "activations"},
      {&StageMemory::temporary, "temporary buffers"},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.name));
    const std::optional<Overflow> overflow = planner::overflow_of(two_stages(row.part, 12));
    REQUIRE(overflow);
    CHECK(overflow->stage == 1);
    CHECK(overflow->component == row.name);
    CHECK(overflow->component_bytes == 12 * kGiB);
    CHECK(overflow->use.peak_bytes == 13 * kGiB);
    CHECK(overflow->use.capacity_bytes == 10 * kGiB);
    CHECK(overflow->text() ==
          std::string("stage 1 needs 13.0 of 10.0 GiB, 3.0 GiB too much; fits with a probability of 0 %; most of it ") +
              row.name + " (12.0 GiB)");
  }
}

TEST_CASE("what fills the memory to the last byte fits") {
  CHECK(!planner::overflow_of(two_stages(&StageMemory::weights, 9)));
  CHECK(planner::overflow_of(two_stages(&StageMemory::weights, 9.001)));
}

TEST_CASE("a goal says how probably a plan has to fit, and a plan that may fit is no violation") {
  Memory memory = two_stages(&StageMemory::weights, 9.2);  // 10.2 GiB in stage 1
  memory.device.error = {.mean = 0, .sd = 0.05};
  memory.device.usable_bytes = planner::most_bytes(memory.device.error, 0.2, memory.device.capacity_bytes);
  CHECK(!planner::overflow_of(memory));
  memory.device.usable_bytes = planner::most_bytes(memory.device.error, 0.5, memory.device.capacity_bytes);
  REQUIRE(planner::overflow_of(memory));
  CHECK(planner::memory_told(memory, FitVerdict::does_not_fit).empty());
  const std::vector<Violation> told = planner::memory_told(memory, FitVerdict::uncertain);
  REQUIRE(told.size() == 1);
  CHECK(told[0].message ==
        "stage 1 needs 10.2 of 10.0 GiB, 0.2 GiB too much; fits with a probability of 35 %; most of it weights (9.2 "
        "GiB)");
}

TEST_CASE("the same probability leaves a smaller peak where a goal asks for more of it") {
  const Memory all = memory_of(sample::gpt());
  double before = 1e300;
  for (const char* share : {"0.05", "0.5", "0.95"}) {
    const Memory some = memory_of(sample::gpt({std::string("goal.fit=") + share}));
    CHECK(some.device.peak_bytes == all.device.peak_bytes);
    CHECK(some.device.capacity_bytes == all.device.capacity_bytes);
    CHECK(some.device.usable_bytes < before);
    CHECK(planner::fit_probability(some.device.error, some.device.usable_bytes, some.device.capacity_bytes) ==
          doctest::Approx(std::stod(share)).epsilon(1e-5));
    before = some.device.usable_bytes;
  }
}

TEST_CASE("a plan that fits has nothing to tell") {
  CHECK(violations_of(sample::gpt()).empty());
  CHECK(violations_of(sample::llama({"parallelism={tp: 2, microbatch: 1}"})).empty());
}

TEST_CASE("the memory of a node's host fits with a probability of its own") {
  const Memory planned = memory_of(sample::gpt());
  CHECK(planned.host.probability() == 1);
  const struct {
    double gib;
    FitVerdict verdict;
    const char* text;
  } rows[] = {
      {4, FitVerdict::fits, "needs 4.0 of 8.0 GiB; fits with a probability of 100 %"},
      {8, FitVerdict::uncertain, "needs 8.0 of 8.0 GiB; fits with a probability of 50 %"},
      {10, FitVerdict::uncertain, "needs 10.0 of 8.0 GiB, 2.0 GiB too much; fits with a probability of 13 %"},
      {20, FitVerdict::does_not_fit, "needs 20.0 of 8.0 GiB, 12.0 GiB too much; fits with a probability of 0 %"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.gib);
    Memory memory = planned;
    memory.host = {.peak_bytes = row.gib * kGiB,
                   .capacity_bytes = 8 * kGiB,
                   .usable_bytes = 8 * kGiB,
                   .error = {.mean = 0, .sd = 0.2}};
    CHECK(memory.verdict() == row.verdict);
    CHECK(memory.overflows() == (row.gib > 8));
    CHECK(memory.host.surely_fits() == (row.verdict == FitVerdict::fits));
    const std::vector<Violation> told = planner::memory_told(memory, row.verdict);
    REQUIRE(!told.empty());
    CHECK(told.back().rule == "host-memory");
    CHECK(has(told.back().message, std::string("the host memory of a node ") + row.text));
  }
}
