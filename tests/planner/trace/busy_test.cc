// Busy times, overlaps and steps, against intervals that were counted by hand and by brute force.
#include <doctest/doctest.h>

#include <random>

#include "planner/trace/steps.h"
#include "tests/planner/trace/kineto_text.h"

using namespace planner::trace;
using sample::KinetoText;

TEST_CASE("a union of intervals, and what two have in common, as counted by ticks") {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    Union unions[2];
    bool ticks[2][100] = {};
    for (int u = 0; u < 2; ++u) {
      int64_t begin = 0;
      for (int i = 0; i < 8; ++i) {
        begin += static_cast<int64_t>(random() % 10);
        const int64_t end = std::min<int64_t>(100, begin + static_cast<int64_t>(random() % 12));
        unions[u].add({begin, end});
        for (int64_t t = begin; t < end; ++t) ticks[u][t] = true;
      }
    }
    int64_t lengths[2] = {}, common = 0;
    for (int t = 0; t < 100; ++t)
      lengths[0] += ticks[0][t], lengths[1] += ticks[1][t], common += ticks[0][t] && ticks[1][t];
    CHECK(unions[0].length_ns() == lengths[0]);
    CHECK(unions[1].length_ns() == lengths[1]);
    CHECK(common_ns(unions[0], unions[1]) == common);
    CHECK(common_ns(unions[1], unions[0]) == common);
  }
}

TEST_CASE("busy, overlapped and exposed times of a device") {
  KinetoText text;
  text.kernel("gemm", 7, 10, 20);                                            // 10-30
  text.kernel("ncclKernel_AllReduce", 9, 20, 30);                            // 20-50
  text.event("gpu_memcpy", "Memcpy", 0, "8", "45", "10", R"("stream": 8)");  // 45-55
  text.kernel("gemm", 7, 100, 10);                                           // 100-110
  const auto trace = sample::rank(text.text());
  REQUIRE(trace.has_value());
  const Busy busy = busy_of(*trace);
  CHECK(busy.window_ns == 100'000);
  CHECK(busy.busy_ns == 55'000);
  CHECK(busy.compute_ns == 30'000);
  CHECK(busy.communication_ns == 30'000);
  CHECK(busy.memory_ns == 10'000);
  CHECK(busy.overlap_ns == 10'000);
  CHECK(busy.exposed_ns == 15'000);
  CHECK(busy.idle_ns() == 45'000);
  CHECK(busy.doubled_ns == 30'000 + 30'000 + 10'000 - 55'000);
  CHECK(busy.events == 4);
  CHECK(busy.overlap_ratio() == doctest::Approx(1.0 / 3));
  const Busy clipped = busy_within(*trace, {25'000, 105'000});
  CHECK(clipped.window_ns == 80'000);
  CHECK(clipped.compute_ns == 10'000);
  CHECK(clipped.exposed_ns == 15'000);
  const std::vector<StreamBusy> streams = streams_of(*trace);
  REQUIRE(streams.size() == 3);
  CHECK(streams[0].busy_ns == 30'000);
  CHECK(streams[0].events == 2);
  CHECK(streams[1].communications == 1);
}

TEST_CASE("a step has what was launched in it, wherever that ran") {
  KinetoText text;
  text.event("user_annotation", "ProfilerStep#4", 100, "1", "5", "20");
  text.event("user_annotation", "ProfilerStep#5", 100, "1", "26", "20");
  text.kernel("a", 7, 10, 5).kernel("b", 7, 20, 30).kernel("c", 7, 51, 4);
  // Launched in the second step and run behind it.
  text.event("cuda_runtime", "cudaLaunchKernel", 100, "1", "40", "1", R"("correlation": 77)");
  text.event("kernel", "d", 0, "7", "60", "10", R"("correlation": 77, "stream": 7)");
  const auto trace = sample::rank(text.text());
  REQUIRE(trace.has_value());
  const std::vector<Step> steps = steps_of(*trace);
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].name == "ProfilerStep#4");
  CHECK(steps[0].events.size() == 2);
  CHECK(steps[0].launched.busy_ns == 35'000);
  CHECK(steps[0].of_device);  // 'b' ends behind it
  CHECK(steps[0].window.begin_ns == 5'000);
  CHECK(steps[0].window.end_ns == 50'000);
  CHECK(steps[0].ran.busy_ns == 35'000);
  CHECK(steps[1].events.size() == 1);
  CHECK(steps[1].device.begin_ns == 60'000);
  CHECK(steps[1].window.begin_ns == 50'000);
  CHECK(steps[1].window.end_ns == 70'000);
  CHECK(steps[1].ran.busy_ns == 14'000);  // with 'c', which is of no step
  const auto whole = sample::rank(KinetoText().kernel("a", 7, 10, 5).text());
  REQUIRE(steps_of(*whole).size() == 1);
  CHECK(steps_of(*whole)[0].name.empty());
  CHECK(steps_of(*whole)[0].host.begin_ns == 9'000);
}
