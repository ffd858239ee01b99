// Allocations that PyTorch's profiler recorded (profile_memory=True).
#include <doctest/doctest.h>

#include "planner/trace/clocks.h"
#include "tests/planner/trace/kineto_text.h"

using namespace planner::trace;

namespace {

std::string memory(const std::string& start, const std::string& arguments) {
  return R"({"ph": "i", "s": "t", "name": "[memory]", "pid": 1, "tid": 1)" + start + R"(, "args": {)" + arguments +
         "}}";
}

}  // namespace

TEST_CASE("allocations of devices are kept by time, with the profiler's total where it says one") {
  sample::KinetoText text;
  text.kernel("a", 7, 10, 5)
      .raw(memory(R"(, "ts": 12)", R"("Device Type": 1, "Device Id": 0, "Bytes": -512)"))
      .raw(memory(R"(, "ts": 3.5)", R"("Device Type": 1, "Device Id": 2, "Bytes": 512, "Total Allocated": 2048)"))
      .raw(memory(R"(, "ts": 4)", R"("Device Type": 0, "Device Id": -1, "Bytes": 64)"));
  const std::optional<RankTrace> rank = sample::rank(text.text());
  REQUIRE(rank);
  REQUIRE(rank->allocations.size() == 2);
  CHECK(rank->allocations[0].at_ns == 3500);
  CHECK(rank->allocations[0].bytes == 512);
  CHECK(rank->allocations[0].total_bytes == 2048);
  CHECK(rank->allocations[0].device == 2);
  CHECK(rank->allocations[1].at_ns == 12000);
  CHECK(rank->allocations[1].bytes == -512);
  CHECK(rank->allocations[1].total_bytes == -1);
}

TEST_CASE("an allocation without a time is broken like any event") {
  sample::KinetoText text;
  text.kernel("a", 7, 10, 5).raw(memory("", R"("Device Type": 1, "Bytes": 8)"));
  std::string messages;
  CHECK_FALSE(sample::rank(text.text(), &messages));
  CHECK(messages.find("the event has no time 'ts'") != std::string::npos);
  const std::optional<RankTrace> rank = sample::rank(text.text(), &messages, true);
  REQUIRE(rank);
  CHECK(rank->left_out == 1);
  CHECK(rank->allocations.empty());
}
