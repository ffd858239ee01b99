// What overflows the memory, and how it is told.
#include "planner/plan/fits.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/planner/sample.h"

namespace {

using planner::Memory;
using planner::Overflow;
using planner::Scenario;
using planner::StageMemory;
using planner::Violation;

constexpr double kGiB = 1024.0 * 1024 * 1024;

Memory memory_of(const Scenario& s) { return planner::make_memory(s, planner::build_workload(s)); }

std::vector<Violation> violations_of(const Scenario& s) { return planner::memory_violations(memory_of(s)); }

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Stages with one part each beside a small rest.
Memory two_stages(double StageMemory::*part, double gib) {
  Memory memory;
  memory.capacity_bytes = memory.usable_bytes = 10 * kGiB;
  memory.error.sd = 0.01;
  memory.stages = {{.stage = 0, .weights = kGiB, .activations = kGiB}, {.stage = 1, .device_overhead = kGiB}};
  memory.stages[1].*part = gib * kGiB;
  for (const StageMemory& stage : memory.stages) memory.peak_bytes = std::max(memory.peak_bytes, stage.total());
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
    CHECK(overflow->bytes == 13 * kGiB);
    CHECK(overflow->capacity_bytes == 10 * kGiB);
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
  memory.error = {.mean = 0, .sd = 0.05};
  memory.usable_bytes = planner::most_bytes(memory.error, 0.2, memory.capacity_bytes);
  CHECK(!planner::overflow_of(memory));
  memory.usable_bytes = planner::most_bytes(memory.error, 0.5, memory.capacity_bytes);
  REQUIRE(planner::overflow_of(memory));
  CHECK(planner::memory_violations(memory).empty());
  REQUIRE(planner::uncertain_fit(memory));
  CHECK(*planner::uncertain_fit(memory) ==
        "stage 1 needs 10.2 of 10.0 GiB, 0.2 GiB too much; fits with a probability of 35 %; most of it weights (9.2 "
        "GiB)");
}

TEST_CASE("the same probability leaves a smaller peak where a goal asks for more of it") {
  const Memory all = memory_of(sample::gpt());
  double before = 1e300;
  for (const char* share : {"0.05", "0.5", "0.95"}) {
    const Memory some = memory_of(sample::gpt({std::string("goal.fit=") + share}));
    CHECK(some.peak_bytes == all.peak_bytes);
    CHECK(some.capacity_bytes == all.capacity_bytes);
    CHECK(some.usable_bytes < before);
    CHECK(planner::fit_probability(some.error, some.usable_bytes, some.capacity_bytes) ==
          doctest::Approx(std::stod(share)).epsilon(1e-5));
    before = some.usable_bytes;
  }
}

TEST_CASE("a plan that fits has nothing to tell") {
  CHECK(violations_of(sample::gpt()).empty());
  CHECK(violations_of(sample::llama({"parallelism={tp: 2, microbatch: 1}"})).empty());
}

TEST_CASE("the memory of a node's host overflows on its own") {
  const Scenario s = sample::gpt();
  Memory memory = memory_of(s);
  memory.host_capacity_bytes = 8 * kGiB;
  memory.host_bytes = 8 * kGiB;
  CHECK(planner::memory_violations(memory).empty());
  memory.host_bytes = 10 * kGiB;
  const std::vector<Violation> told = planner::memory_violations(memory);
  REQUIRE(told.size() == 1);
  CHECK(told[0].rule == "host-memory");
  CHECK(has(told[0].message, "10.0 GiB in host memory of 8.0 GiB, 2.0 GiB too much"));
}
