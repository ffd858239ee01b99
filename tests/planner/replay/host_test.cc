// What a host did: calls and marks of its threads, and who waits for whom.
#include "planner/replay/host.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/planner/trace/kineto_text.h"

using namespace planner::replay;
using planner::trace::RankTrace;
using sample::KinetoText;

namespace {

/// A trace and its host. Lanes of traces are numbered by their first event in the file.
struct Sample {
  explicit Sample(const KinetoText& text)
      : trace(sample::rank(text.text()).value()), host(host_of(trace, planner::trace::steps_of(trace))) {}

  /// Items of a thread in microseconds, with lags before them: "0 +2 launch 2-3 +1 4"; marks are moments.
  std::string items(size_t thread) const {
    std::string out;
    for (const HostItem& item : host.threads[thread]) {
      if (!out.empty()) out += fmt::format(" {:+} ", item.lag_ns / 1000);
      out += item.event ? fmt::format("{} {}-{}", trace.name(trace.events[*item.event]), item.begin_ns / 1000,
                                      item.end_ns / 1000)
                        : fmt::format("{}", item.begin_ns / 1000);
      if (!item.event) CHECK(item.duration_ns() == 0);
    }
    return out;
  }
  int64_t thread(size_t number) const { return trace.lanes[host.lanes[number]].thread; }
  /// "2: 1-4 of thread 8": items between which a thread waits, and what the other does.
  std::string hand_overs() const {
    std::string out;
    for (const HandOver& over : host.hand_overs)
      out += fmt::format("{}-{} thread {}: {}-{}\n", over.from, over.to, thread(over.lane), over.first, over.last);
    return out;
  }

  RankTrace trace;
  HostThreads host;
};

KinetoText& span(KinetoText& text, const char* category, const char* name, int thread, int64_t begin, int64_t end) {
  return text.event(category, name, 100, std::to_string(thread), std::to_string(begin), std::to_string(end - begin));
}
KinetoText& call(KinetoText& text, const char* name, int thread, int64_t begin, int64_t end) {
  return span(text, "cuda_runtime", name, thread, begin, end);
}
KinetoText& op(KinetoText& text, const char* name, int thread, int64_t begin, int64_t end) {
  return span(text, "cpu_op", name, thread, begin, end);
}
KinetoText& step(KinetoText& text, int number, int64_t begin, int64_t end, int thread = 1) {
  return span(text, "user_annotation", ("ProfilerStep#" + std::to_string(number)).c_str(), thread, begin, end);
}

}  // namespace

TEST_CASE("calls of a thread, by begin, between the moments at which it begins and ends") {
  KinetoText text;
  call(text, "b", 1, 30, 34);
  call(text, "cudaStreamSynchronize", 1, 34, 40);
  op(text, "aten::mm", 1, 5, 50);
  call(text, "a", 1, 10, 20);
  const Sample sample(text);
  REQUIRE(sample.host.threads.size() == 1);
  CHECK(sample.items(0) == "5 +5 a 10-20 +10 b 30-34 +0 cudaStreamSynchronize 34-40 +10 50");
  CHECK(sample.host.threads[0][2].role == CallRole::other);
  CHECK(sample.host.threads[0][3].role == CallRole::sync_stream);
  CHECK(sample.host.primary == 0);
  CHECK(sample.host.hand_overs.empty());
  CHECK(sample.host.steps.empty());  // none is marked
}

TEST_CASE("calls within calls are no items, and neither is what a device does") {
  KinetoText text;
  call(text, "outer", 1, 10, 20);
  call(text, "first", 1, 10, 12);
  call(text, "middle", 1, 13, 16);
  call(text, "last", 1, 16, 20);
  call(text, "next", 1, 20, 25);
  text.event("cuda_sync", "Stream Sync", 0, "7", "0", "99", R"("stream": 7)");
  text.event("kernel", "k", 0, "7", "1", "90", R"("stream": 7)");
  const Sample sample(text);
  REQUIRE(sample.host.threads.size() == 1);
  CHECK(sample.items(0) == "10 +0 outer 10-20 +0 next 20-25 +0 25");
}

TEST_CASE("steps are marked in the primary thread: before what begins then, behind what has begun") {
  KinetoText text;
  step(text, 1, 0, 100);
  call(text, "a", 1, 10, 20);
  call(text, "across", 1, 95, 110);  // it begins in the first step and ends in the second
  step(text, 2, 120, 200);
  call(text, "b", 1, 120, 130);
  call(text, "c", 1, 210, 215);
  const Sample sample(text);
  CHECK(sample.items(0) ==
        "0 +0 0 +10 a 10-20 +75 across 95-110 -10 100 +20 120 +0 b 120-130 +70 200 +10 c 210-215 +0 215");
  REQUIRE(sample.host.steps.size() == 2);
  CHECK(sample.host.steps[0].begin == 0);
  CHECK(sample.host.steps[0].end == 4);
  CHECK(sample.host.steps[1].begin == 5);
  CHECK(sample.host.steps[1].end == 7);
}

TEST_CASE("marks of many steps are at the steps' begins and ends") {
  KinetoText text;
  for (int i = 0; i < 6; ++i) {
    step(text, i, 100 * i, 100 * i + 100);  // each begins when the one before it ends
    for (int c = 0; c < i; ++c) call(text, "c", 1, 100 * i + 10 * c, 100 * i + 10 * c + 5);
  }
  const Sample sample(text);
  REQUIRE(sample.host.steps.size() == 6);
  for (size_t i = 0; i < 6; ++i) {
    const std::vector<HostItem>& items = sample.host.threads[0];
    CHECK(items[sample.host.steps[i].begin].begin_ns == static_cast<int64_t>(100'000 * i));
    CHECK(items[sample.host.steps[i].end].end_ns == static_cast<int64_t>(100'000 * i + 100'000));
  }
}

TEST_CASE("the primary thread is that of the steps, else the one with most calls") {
  for (const bool marked : {true, false}) {
    KinetoText text;
    for (int i = 0; i < 5; ++i) call(text, "c", 2, 10 * i, 10 * i + 5);
    call(text, "d", 1, 60, 65);
    if (marked) step(text, 1, 50, 70);
    op(text, "no calls", 3, 0, 200);
    const Sample sample(text);
    REQUIRE(sample.host.threads.size() == 2);
    CHECK(sample.thread(sample.host.primary) == (marked ? 1 : 2));
  }
}

TEST_CASE("threads without calls are none, but for the one with the steps") {
  KinetoText text;
  op(text, "aten::mm", 1, 0, 10);
  const Sample none(text);
  CHECK(none.host.threads.empty());
  CHECK(none.host.hand_overs.empty());
  step(text, 1, 2, 8);
  const Sample marked(text);
  REQUIRE(marked.host.threads.size() == 1);
  CHECK(marked.items(0) == "0 +2 2 +6 8 +2 10");
}

TEST_CASE("a backward thread of each step is handed over to, and back") {
  KinetoText text;
  for (int i = 0; i < 2; ++i) {
    const int at = 200 * i;
    step(text, i, at, at + 190);
    call(text, "forward", 1, at + 10, at + 20);
    op(text, "backward", 2, at + 40, at + 120);
    call(text, "grad", 2, at + 50, at + 55);
    call(text, "grad", 2, at + 100, at + 110);
    call(text, "adam", 1, at + 150, at + 160);
  }
  const Sample sample(text);
  REQUIRE(sample.host.threads.size() == 2);
  CHECK(sample.thread(sample.host.primary) == 1);
  // Its begin in the first step and its end in the second are of what it does there.
  CHECK(sample.hand_overs() == "2-3 thread 2: 0-2\n6-7 thread 2: 3-5\n");
  // A waiting thread has no time of its own; a requested thread has none before it begins.
  CHECK(sample.items(0) ==
        "0 +0 0 +10 forward 10-20 +0 adam 150-160 +30 190 +10 200 +10 forward 210-220 +0 adam 350-360 +30 390 +0 390");
  CHECK(sample.items(1) == "40 +10 grad 50-55 +45 grad 100-110 +0 grad 250-255 +45 grad 300-310 +10 320");
}

TEST_CASE("threads that work side by side do not wait for each other") {
  KinetoText text;
  step(text, 1, 0, 300);
  call(text, "a", 1, 10, 20);
  op(text, "aten::busy", 1, 45, 140);
  call(text, "b", 1, 150, 160);
  op(text, "loader", 2, 40, 120);
  call(text, "copy", 2, 50, 100);
  const Sample sample(text);
  CHECK(sample.hand_overs().empty());
  CHECK(sample.items(0) == "0 +0 0 +10 a 10-20 +130 b 150-160 +140 300 +0 300");
  CHECK(sample.items(1) == "40 +10 copy 50-100 +20 120");
}

TEST_CASE("a thread still waits whose operators fill a tenth of the time, and no more") {
  for (const int busy : {1, 10, 11}) {
    CAPTURE(busy);
    KinetoText text;
    step(text, 1, 0, 300);
    op(text, "asks", 1, 15, 145);  // it began before, and says nothing of the time
    op(text, "engine", 1, 60, 60 + busy);
    op(text, "inner", 1, 60, 61);  // it counts once
    op(text, "backward", 2, 40, 140);
    call(text, "grad", 2, 50, 100);
    const Sample sample(text);
    CHECK(sample.hand_overs() == (busy <= 10 ? "1-2 thread 2: 0-2\n" : ""));
  }
}

TEST_CASE("a thread that works across a call of the primary one is not waited for") {
  KinetoText text;
  step(text, 1, 0, 300);
  call(text, "a", 1, 10, 20);
  call(text, "b", 1, 90, 95);  // while the other one's call runs
  op(text, "other", 2, 40, 120);
  call(text, "long", 2, 50, 100);
  const Sample sample(text);
  // What the other one does behind "b" is waited for, until the end of the step.
  CHECK(sample.hand_overs() == "3-4 thread 2: 2-2\n");
}

TEST_CASE("what a thread does behind the last item, and before the first one") {
  KinetoText text;
  call(text, "a", 1, 100, 105);
  call(text, "a", 1, 110, 115);
  call(text, "early", 2, 10, 20);
  call(text, "late", 2, 200, 210);
  const Sample sample(text);
  REQUIRE(sample.host.threads.size() == 2);
  REQUIRE(sample.thread(sample.host.primary) == 1);
  // The first item was not requested by any thread, and nothing waits after the last one.
  CHECK(sample.hand_overs() == "3-4 thread 2: 2-3\n");
  CHECK(sample.items(0) == "100 +0 a 100-105 +5 a 110-115 +0 115");
  CHECK(sample.items(1) == "10 +0 early 10-20 +0 late 200-210 +0 210");
}
