// What can only help never hurts: shorter hops, a faster memory, no backward pass, no one to share with.
#include <doctest/doctest.h>

#include <limits>

#include "planner/schedule/schedule.h"
#include "tests/planner/sample.h"

using planner::Scenario;
using sample::Sets;
using sample::operator+;

namespace {

double seconds(const std::string& text, const Sets& sets) {
  return sample::plan(sample::scenario(text, sets)).step->seconds;
}

double bytes(const std::string& text, const Sets& sets) {
  return sample::plan(sample::scenario(text, sets)).memory->device.peak_bytes;
}

/// Kernels so short that the host decides how long they take.
constexpr const char* kSlowHost = R"(
model: {use: llama2-7b}
job: {sequence: 512, global_batch: 64, precision: bf16}
cluster: {use: dgx-b200, gpus: 64}
software: {use: megatron-core}
parallelism: {tp: 8, pp: 8, microbatch: 1}
)";

constexpr const char* kSharded = R"(
model: {use: llama2-70b}
job: {sequence: 4096, global_batch: 8, precision: bf16}
cluster: {use: dgx-h100, gpus: 8}
software: {use: torchtitan}
)";

}  // namespace

TEST_CASE("no schedule takes longer on a faster memory, however slow the host is") {
  for (const planner::ScheduleRow& row : planner::schedules()) {
    CAPTURE(row.name);
    const int64_t chunks = row.chunks > 0 ? row.chunks : std::string_view(row.name) == "interleaved" ? 2 : 1;
    const Sets layout{std::string("parallelism.schedule=") + row.name,
                      "parallelism.interleave=" + std::to_string(chunks)};
    double last = std::numeric_limits<double>::infinity();
    for (const char* bandwidth : {"1 TB/s", "2 TB/s", "4 TB/s", "8 TB/s", "16 TB/s", "32 TB/s", "64 TB/s"}) {
      CAPTURE(bandwidth);
      const double now = seconds(kSlowHost, layout + Sets{std::string("cluster.gpu.memory_bandwidth=") + bandwidth});
      CHECK(now <= last * (1 + 1e-12));
      last = now;
    }
  }
}

TEST_CASE("less latency inside a node is never slower, and more is felt") {
  constexpr const char* kText = R"(
model: {use: gpt3-13b}
job: {sequence: 2048, global_batch: 64, precision: bf16}
cluster: {use: dgx-h100, gpus: 8}
software: {use: megatron-core}
parallelism: {tp: 4, microbatch: 1}
)";
  double last = 0;
  for (const char* latency : {"0 s", "150 ns", "600 ns", "5 us", "100 us", "1 ms"}) {
    CAPTURE(latency);
    const double now = seconds(kText, {std::string("cluster.network.nvlink.latency=") + latency});
    CHECK(now >= last);
    last = now;
  }
  CHECK(last > 2 * seconds(kText, {}));
}

TEST_CASE("forward alone holds no more than training, whatever is sharded") {
  for (const char* zero : {"0", "2", "3"}) {
    CAPTURE(zero);
    const Sets sets{std::string("parallelism.zero=") + zero};
    CHECK(bytes(kSharded, sets + Sets{"job.phase=forward"}) <= bytes(kSharded, sets));
  }
  const auto weights = [](const char* zero) {
    const Sets sets{"job.phase=forward", std::string("parallelism.zero=") + zero};
    return sample::plan(sample::scenario(kSharded, sets)).memory->stages.front().weights;
  };
  CHECK(weights("3") == doctest::Approx(weights("0") / 8));
  CHECK(seconds(kSharded, {"job.phase=forward", "parallelism.zero=3"}) >
        seconds(kSharded, {"job.phase=forward", "parallelism.zero=0"}));
}

TEST_CASE("a rank that shards with nobody gathers nothing") {
  const Sets alone{"cluster.gpus=8", "parallelism={tp: 8}"};
  const auto peak = [&](const char* zero) {
    return bytes(kSharded, alone + Sets{std::string("parallelism.zero=") + zero});
  };
  CHECK(peak("3") <= peak("0"));
}

TEST_CASE("a plan whose step is no finite number is not feasible") {
  Scenario s = sample::llama();
  s.software.step_overhead = {std::numeric_limits<double>::infinity()};
  const planner::Plan plan = planner::make_plan(s);
  CHECK_FALSE(plan.feasible);
  REQUIRE(plan.violations.size() == 1);
  CHECK(plan.violations.front().rule == planner::kFiniteRule);
}

TEST_CASE("every field that is a time has a longest value") {
  for (const dsl::Field& field : planner::scenario_schema())
    if (field.type == dsl::Type::quantity && field.dim == dsl::kTime)
      CHECK_MESSAGE(std::isfinite(field.most), field.path);
}
