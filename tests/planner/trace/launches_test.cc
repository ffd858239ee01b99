// Launched work and the calls that launched it, by correlation.
#include <doctest/doctest.h>

#include <map>
#include <random>

#include "planner/replay/host.h"
#include "planner/trace/trace.h"
#include "tests/planner/trace/kineto_text.h"

using namespace planner::trace;
using sample::KinetoText;

namespace {

std::string correlation(int number) { return R"("correlation": )" + std::to_string(number); }

}  // namespace

TEST_CASE("a kernel's call has its correlation, whichever comes first in the file") {
  KinetoText text;
  text.event("kernel", "late", 0, "7", "50", "5", correlation(3) + R"(, "stream": 7)");
  text.event("cuda_runtime", "launch", 100, "1", "40", "2", correlation(3));
  text.event("cuda_driver", "launch", 100, "1", "10", "2", correlation(9));
  text.event("gpu_memcpy", "Memcpy", 0, "7", "20", "5", correlation(9) + R"(, "stream": 7)");
  text.event("kernel", "of before the trace", 0, "7", "1", "5", correlation(2) + R"(, "stream": 7)");
  text.event("kernel", "says nothing", 0, "7", "60", "5", R"("stream": 7)");
  const RankTrace trace = sample::rank(text.text()).value();
  std::map<std::string, std::string> calls;
  for (size_t i = 0; i < trace.events.size(); ++i) {
    const uint32_t call = trace.launched_by[i];
    calls[trace.name(trace.events[i])] = call == kNone ? "none" : std::to_string(trace.events[call].start_ns / 1000);
  }
  CHECK(calls == std::map<std::string, std::string>{{"Memcpy", "10"},
                                                    {"late", "40"},
                                                    {"launch", "none"},
                                                    {"of before the trace", "none"},
                                                    {"says nothing", "none"}});
}

TEST_CASE("random launches are found as a map finds them") {
  std::mt19937 random(2);
  KinetoText text;
  for (int i = 0; i < 200; ++i) {
    const int start = static_cast<int>(random() % 1000);
    text.event("cuda_runtime", "launch", 100, "1", std::to_string(start), "1",
               correlation(static_cast<int>(random() % 150)));
    text.event("kernel", "k", 0, std::to_string(i), std::to_string(start), "1",
               correlation(static_cast<int>(random() % 150)) + R"(, "stream": )" + std::to_string(i));
  }
  const RankTrace trace = sample::rank(text.text()).value();
  std::map<int64_t, uint32_t> calls;
  for (uint32_t i = 0; i < trace.events.size(); ++i)
    if (trace.events[i].kind == EventKind::runtime) calls.try_emplace(trace.events[i].correlation, i);
  for (size_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    const auto call = event.kind == EventKind::kernel ? calls.find(event.correlation) : calls.end();
    CHECK(trace.launched_by[i] == (call == calls.end() ? kNone : call->second));
  }
}

TEST_CASE("what a call within a call launches counts for the outer one") {
  KinetoText text;
  text.event("cuda_runtime", "cudaLaunchKernel", 100, "1", "10", "20", correlation(1));
  text.event("cuda_driver", "cuLaunchKernel", 100, "1", "12", "5", correlation(2));
  text.event("kernel", "a", 0, "7", "40", "5", correlation(2) + R"(, "stream": 7)");
  text.event("kernel", "b", 0, "7", "50", "5", correlation(1) + R"(, "stream": 7)");
  text.event("cuda_runtime", "cudaMemcpyAsync", 100, "1", "60", "30", correlation(3));
  text.event("gpu_memcpy", "Memcpy DtoH", 0, "7", "70", "10", correlation(3) + R"(, "stream": 7)");
  const RankTrace trace = sample::rank(text.text()).value();
  planner::replay::HostThreads host = planner::replay::host_of(trace, {});
  const planner::replay::Launched launched(trace, host);
  REQUIRE(launched.calls().size() == 2);
  REQUIRE(launched.by(*launched.calls()[0]).size() == 2);
  for (const size_t event : launched.by(*launched.calls()[0])) CHECK(launched.call_of(event) == launched.calls()[0]);
  CHECK(launched.device().size() == 3);
  CHECK(launched.awaited_copy(*launched.calls()[0]) == nullptr);
  CHECK(launched.awaited_copy(*launched.calls()[1]) != nullptr);  // it returns when the copy is done
}
