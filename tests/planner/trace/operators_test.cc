// Which operator a thread was in, against a search of all of them.
#include "planner/trace/operators.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "tests/planner/trace/kineto_text.h"

using namespace planner::trace;
using sample::KinetoText;
using sample::kUs;

namespace {

/// A trace, and the names of what its threads were in.
struct Sample {
  explicit Sample(const KinetoText& text) : trace(sample::rank(text.text()).value()), operators(trace) {}

  std::string at(int64_t thread, int64_t time_ns) const {
    const Event* event = operators.at(lane(thread), time_ns);
    return event ? trace.name(*event) : "none";
  }
  uint32_t lane(int64_t thread) const {
    for (uint32_t i = 0; i < trace.lanes.size(); ++i)
      if (trace.lanes[i] == Lane{100, thread, false}) return i;
    return static_cast<uint32_t>(trace.lanes.size());
  }

  RankTrace trace;
  Operators operators;
};

KinetoText& span(KinetoText& text, const std::string& name, int thread, int64_t begin, int64_t end,
                 const char* category = "cpu_op") {
  return text.event(category, name, 100, std::to_string(thread), std::to_string(begin), std::to_string(end - begin));
}

/// Writes random nested spans, all within [begin, end).
void nest(std::mt19937& random, int thread, int64_t begin, int64_t end, int depth, KinetoText& text) {
  if (depth == 0) return;
  int64_t at = begin;
  for (int i = 0; i < 3 && at < end; ++i) {
    const int64_t from = at + static_cast<int64_t>(random() % 3);
    const int64_t to = std::min(end, from + static_cast<int64_t>(random() % 30));
    if (from >= to) continue;
    const std::string name = std::to_string(thread) + "-" + std::to_string(depth) + "-" + std::to_string(from);
    span(text, name, thread, from, to, random() % 5 == 0 ? "user_annotation" : "cpu_op");
    nest(random, thread, from, to, depth - 1, text);
    at = to;
  }
}

/// The one that began last and still runs; of those that began together the shortest.
std::string by_search(const Sample& sample, int64_t thread, int64_t time_ns) {
  const Event* found = nullptr;
  for (const Event& event : sample.trace.events) {
    if (event.kind != EventKind::op && event.kind != EventKind::annotation) continue;
    if (sample.trace.lane(event) != Lane{100, thread, false}) continue;
    if (event.start_ns > time_ns || event.end_ns() <= time_ns) continue;
    const bool is_inner = !found || event.start_ns > found->start_ns ||
                          (event.start_ns == found->start_ns && event.duration_ns <= found->duration_ns);
    if (is_inner) found = &event;
  }
  return found ? sample.trace.name(*found) : "none";
}

}  // namespace

TEST_CASE("a thread is in the innermost of its operators, from its begin until before its end") {
  KinetoText text;
  span(text, "step", 1, 0, 100, "user_annotation");
  span(text, "outer", 1, 10, 50);
  span(text, "inner", 1, 20, 30);
  span(text, "alike", 1, 20, 25);  // it begins with the one around it
  span(text, "last", 1, 40, 50);   // it ends with the one around it
  span(text, "next", 1, 50, 60);
  span(text, "other", 2, 15, 120);
  span(text, "call", 1, 12, 14, "cuda_runtime");
  text.event("kernel", "kernel", 0, "7", "5", "50", R"("stream": 7)");
  const Sample sample(text);
  const struct {
    int64_t thread, time_us;
    const char* name;
  } rows[] = {{1, -1, "none"},   {1, 0, "step"},   {1, 9, "step"},   {1, 10, "outer"}, {1, 13, "outer"},
              {1, 20, "alike"},  {1, 25, "inner"}, {1, 30, "outer"}, {1, 39, "outer"}, {1, 40, "last"},
              {1, 50, "next"},   {1, 60, "step"},  {1, 100, "none"}, {2, 14, "none"},  {2, 15, "other"},
              {2, 119, "other"}, {2, 120, "none"}, {3, 20, "none"}};
  for (const auto& row : rows) {
    CAPTURE(row.thread);
    CAPTURE(row.time_us);
    CHECK(sample.at(row.thread, row.time_us * kUs) == row.name);
  }
  CHECK(sample.at(1, 50 * kUs - 1) == "last");
  for (uint32_t lane = 0; lane < sample.trace.lanes.size(); ++lane)
    if (sample.trace.lanes[lane].on_device) CHECK(sample.operators.at(lane, 10 * kUs) == nullptr);
}

TEST_CASE("operators that stand in one another at random are found as by a search") {
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    KinetoText text;
    span(text, "once", 1, 0, 1);
    for (const int thread : {1, 2, 3}) nest(random, thread, 1, 90, 5, text);
    const Sample sample(text);
    std::string found, expected;
    for (int thread = 1; thread <= 4; ++thread)
      for (int64_t time = -500; time < 92 * kUs; time += 500) {
        found += sample.at(thread, time) + " ";
        expected += by_search(sample, thread, time) + " ";
      }
    CHECK(found == expected);
  }
}

TEST_CASE("what stands around a time, the innermost first") {
  KinetoText text;
  span(text, "outer", 1, 0, 100);
  span(text, "before", 1, 5, 10);
  span(text, "middle", 1, 20, 60);
  span(text, "inner", 1, 30, 40, "user_annotation");
  const Sample sample(text);
  const auto around = [&](int64_t us) {
    std::string names;
    for (const Event* event : sample.operators.around(sample.lane(1), us * kUs))
      names += sample.trace.name(*event) + " ";
    return names;
  };
  CHECK(around(35) == "inner middle outer ");
  CHECK(around(40) == "middle outer ");
  CHECK(around(15) == "outer ");
  CHECK(around(100).empty());
  CHECK(sample.operators.around(99, 35 * kUs).empty());
}
