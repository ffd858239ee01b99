// Host time within operators: learned from events, found by the most similar span.
#include "planner/replay/spans.h"

#include <doctest/doctest.h>

#include "tests/planner/trace/kineto_text.h"

using namespace planner::replay;
namespace trace = planner::trace;

namespace {

Statistics learned(const sample::KinetoText& text) {
  const trace::Trace ranks = sample::trace({text});
  Statistics statistics;
  learn_spans(ranks, {trace::steps_of(ranks.front())}, statistics);
  return statistics;
}

/// The mean of a span in microseconds; -1 if there is none.
double span_us(const Statistics& statistics, const std::string& begin, const std::string& before,
               const std::string& after, const std::string& calls = "") {
  const auto at = statistics.sums().find({TimeKind::span, {begin, calls, before, after}});
  return at == statistics.sums().end() ? -1 : at->second.ns / static_cast<double>(at->second.count) / 1e3;
}

void add(Statistics& statistics, const char* begin, const char* calls, double us, int64_t count = 1) {
  statistics.add({.kind = TimeKind::span, .begin = begin, .end = calls}, us * 1e3 * static_cast<double>(count), count);
}

/// An operator with a launch and one that it calls, in a step; times in microseconds.
sample::KinetoText step() {
  sample::KinetoText text = sample::ranked(0, 1);
  text.event("user_annotation", "ProfilerStep#3", 100, "1", "0", "100");
  text.event("cpu_op", "aten::linear", 100, "1", "10", "50", R"("Input Dims": [[4, 3], [2, 3], []])");
  text.event("cpu_op", "aten::t", 100, "1", "13", "5");
  text.kernel("a<b > c>", 7, 31, 4);  // launched at 30, for one
  text.event("cuda_runtime", "cudaStreamSynchronize", 100, "1", "40", "2");
  return text;
}

}  // namespace

TEST_CASE("calls and what they launch come back from their text") {
  for (const char* text :
       {"", "cudaLaunchKernel", "cudaStreamSynchronize waits",
        "cudaLaunchKernel ~> 7 kernel void f<float, g<int> >(a*, b)::{lambda()#1}",
        "cudaMemcpyAsync waits ~> 24 copy Memcpy DtoH (Device -> Pageable) ; cudaStreamSynchronize waits",
        "cudaGraphLaunch ~> 7 kernel a ~> 8 communication ncclKernel_AllReduce ~> 7 fill Memset"})
    CHECK(text_of(calls_of(text)) == text);
}

TEST_CASE("times between operators, before, between and behind calls are spans of their operator") {
  const Statistics found = learned(step());
  CHECK(span_us(found, "", "", "aten::linear") == 10);
  CHECK(span_us(found, "", "aten::linear", "") == 40);
  CHECK(span_us(found, "aten::linear @ [4,3][2,3][]", "", "aten::t") == 3);
  CHECK(span_us(found, "aten::t < aten::linear", "", "") == 5);
  CHECK(span_us(found, "aten::linear @ [4,3][2,3][]", "aten::t", "",
                "cudaLaunchKernel ~> 7 kernel a<b > c> ; cudaStreamSynchronize waits") == 39);  // 42 without both calls
  CHECK(found.sums().size() == 5);
}

TEST_CASE("an operator that takes lists of tensors alone is learned as it is found") {
  sample::KinetoText text = sample::ranked(0, 1);
  text.event("cpu_op", "aten::cat", 100, "1", "10", "5", R"("Input Dims": [[[8], [1]]])");
  const Statistics found = learned(text);
  CHECK(span_us(found, "aten::cat", "", "") == 5);
  size_t level = 99;
  CHECK(Spans(found).find({.path = {"aten::cat"}, .shapes = "", .before = "", .after = ""}, level).host_ns == 5000);
  CHECK(level == 0);
}

TEST_CASE("an operator that waits for a backward pass does so between its begin and its end") {
  sample::KinetoText text = sample::ranked(0, 1);
  text.event("user_annotation", "backward", 100, "1", "0", "100");
  text.event("cpu_op", "MmBackward0", 100, "2", "20", "30", R"("Fwd thread id": 1, "Sequence number": 4)");
  text.event("cpu_op", "aten::mm", 100, "2", "25", "5");
  const Statistics found = learned(text);
  CHECK(span_us(found, "backward", "", "=>") == 20);
  CHECK(span_us(found, "backward", "=>", "") == 50);
  CHECK(span_us(found, "MmBackward0", "", "aten::mm") == 5);
}

TEST_CASE("a place is known by what is most like it, and by the memories of its tensors") {
  Statistics known;
  add(known, "copy < to < a @ [3]", "one", 1);
  add(known, "copy < to < a @ [4]", "two", 2, 3);
  add(known, "copy < to < b", "three", 4, 5);
  add(known, "copy < x", "cudaMemcpyAsync ~> 7 copy Memcpy DtoH (Device -> Pageable)", 8, 2);
  add(known, "copy < x", "cudaLaunchKernel ~> 7 kernel k", 16, 9);
  add(known, "copy < x", "", 32);
  const Spans spans(known);
  struct Row {
    std::vector<std::string_view> path;
    const char* shapes;
    Reach reach;
    size_t level;
    double us;
  };
  const std::vector<Row> rows{
      {{"copy", "to", "a"}, "[3]", Reach::device, 0, 1}, {{"copy", "to", "a"}, "[4]", Reach::device, 0, 2},
      {{"copy", "to", "a"}, "[5]", Reach::device, 1, 2},  // the more frequent one
      {{"copy", "to", "c"}, "", Reach::device, 2, 4},    {{"copy", "y"}, "", Reach::device, 3, 16},
      {{"copy", "x"}, "", Reach::device, 0, 16},         {{"copy", "x"}, "", Reach::both, 0, 8},
      {{"copy", "x"}, "", Reach::host, 0, 32},           {{"other"}, "", Reach::unknown, 4, 16},
  };
  for (const Row& row : rows) {
    CAPTURE(row.us);
    CAPTURE(row.level);
    size_t level = 99;
    const HostSpan& span =
        spans.find({.path = row.path, .shapes = row.shapes, .before = "", .after = "", .reach = row.reach}, level);
    CHECK(level == row.level);
    CHECK(span.host_ns == doctest::Approx(row.us * 1e3));
  }
  size_t level = 0;
  CHECK(spans.find({.path = {"copy"}, .shapes = "", .before = "what", .after = "never was"}, level).host_ns == 0);
  CHECK(level == Spans::kLevels);
}
