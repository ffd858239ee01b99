// Whose time the steps of a rank are, and when they are.
#include <doctest/doctest.h>

#include "planner/trace/steps.h"
#include "tests/planner/trace/kineto_text.h"

using namespace planner::trace;
using sample::KinetoText;
using sample::kUs;

namespace {

/// A kernel of a stream and its call, by microseconds.
void launched(KinetoText& text, int number, int stream, int call, int begin, int duration) {
  const std::string same = R"("correlation": )" + std::to_string(9000 + number);
  text.event("cuda_runtime", "cudaLaunchKernel", 100, "1", std::to_string(call), "1", same);
  text.event("kernel", "k", 0, std::to_string(stream), std::to_string(begin), std::to_string(duration),
             same + R"(, "stream": )" + std::to_string(stream));
}
void step(KinetoText& text, int number, int begin, int duration) {
  text.event("user_annotation", "ProfilerStep#" + std::to_string(number), 100, "1", std::to_string(begin),
             std::to_string(duration));
}
std::vector<Step> steps(const KinetoText& text) { return steps_of(sample::rank(text.text()).value()); }

}  // namespace

TEST_CASE("a step of a device behind its host lasts from the end of the one before to its own") {
  const Step first{.device = {100, 400}}, second{.device = {150, 600}};  // begins before the first one is done
  CHECK(device_period_of({first, second}, 0).begin_ns == 100);
  CHECK(device_period_of({first, second}, 0).end_ns == 400);
  CHECK(device_period_of({first, second}, 1).begin_ns == 400);
  CHECK(device_period_of({first, second}, 1).end_ns == 600);
}

TEST_CASE("steps are their host's where their work is done by then, to the begin of the next") {
  KinetoText text;
  step(text, 1, 0, 90);
  step(text, 2, 100, 80);
  launched(text, 1, 7, 10, 20, 80);  // to the begin of the next step
  launched(text, 2, 7, 110, 120, 60);
  const std::vector<Step> found = steps(text);
  REQUIRE(found.size() == 2);
  CHECK_FALSE(found[0].of_device);
  CHECK(found[0].window.end_ns == 100 * kUs);
  CHECK(found[1].window.begin_ns == 100 * kUs);
  CHECK(found[1].window.end_ns == 180 * kUs);
  CHECK(behind_ns(found) == 0);
}

TEST_CASE("a device that is behind has steps of its own, the first one behind what it still did before") {
  KinetoText text;
  step(text, 1, 100, 100);
  step(text, 2, 200, 100);
  text.event("kernel", "k", 0, "7", "110", "140", R"("stream": 7)");  // launched before the trace began
  launched(text, 1, 9, 105, 110, 10);                                 // of the step, early on another stream
  launched(text, 2, 7, 120, 250, 100);
  launched(text, 3, 7, 220, 350, 110);
  const std::vector<Step> found = steps(text);
  REQUIRE(found.size() == 2);
  CHECK(found[0].of_device);
  CHECK(found[0].window.begin_ns == 250 * kUs);
  CHECK(found[0].window.end_ns == 350 * kUs);
  CHECK(found[1].window.begin_ns == 350 * kUs);
  CHECK(found[1].window.end_ns == 460 * kUs);
  CHECK(behind_ns(found) == 160 * kUs);
}

TEST_CASE("the first step of a device that did nothing before begins with its host") {
  KinetoText text;
  step(text, 1, 100, 100);
  launched(text, 1, 7, 110, 120, 100);
  const std::vector<Step> found = steps(text);
  CHECK(found[0].window.begin_ns == 100 * kUs);
  CHECK(found[0].window.end_ns == 220 * kUs);
}

TEST_CASE("a trace without marks is one step, and a step without work is its host's") {
  KinetoText whole;
  launched(whole, 1, 7, 10, 20, 100);
  CHECK_FALSE(steps(whole)[0].of_device);
  CHECK(steps(whole)[0].window.end_ns == 120 * kUs);
  KinetoText empty;
  step(empty, 1, 0, 50);
  step(empty, 2, 50, 50);
  launched(empty, 1, 7, 10, 20, 100);
  CHECK_FALSE(steps(empty)[0].of_device);
  CHECK(steps(empty)[1].window.end_ns == 100 * kUs);
}
