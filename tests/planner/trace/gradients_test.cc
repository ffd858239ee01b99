// When the gradients of a step have been launched, and by which all-reduce they are reduced.
#include "planner/trace/gradients.h"

#include <doctest/doctest.h>

#include "tests/planner/trace/data_parallel.h"

using namespace planner::trace;

namespace {

constexpr const char* kOuter = "autograd::engine::evaluate_function";

sample::KinetoText& op(sample::KinetoText& text, const std::string& name, int begin, int duration) {
  return text.event("cpu_op", name, 100, "1", std::to_string(begin), std::to_string(duration));
}

std::vector<std::vector<GradientStep>> found(const std::vector<sample::KinetoText>& ranks) {
  const Trace trace = sample::trace(ranks);
  std::vector<std::vector<Step>> steps;
  for (const RankTrace& rank : trace) steps.push_back(steps_of(rank));
  return gradients_of(trace, steps, match_collectives(trace));
}

}  // namespace

TEST_CASE("a gradient has been launched at the end of the operator that is around it alone") {
  sample::KinetoText text = sample::ranked(0, 1);
  op(text, kOuter, 10, 20);
  op(text, std::string(kGradient), 12, 4);  // its hooks run until 30
  op(text, kOuter, 40, 30);                 // around two
  op(text, std::string(kGradient), 42, 4);
  op(text, std::string(kGradient), 52, 4);
  op(text, std::string(kGradient), 80, 5);  // no operator is around this
  const std::vector<Gradient> gradients = found({text})[0][0].gradients;
  std::vector<int64_t> launched_us;
  for (const Gradient& each : gradients) launched_us.push_back(each.launched_ns / sample::kUs);
  CHECK(launched_us == std::vector<int64_t>{30, 46, 56, 85});
}

TEST_CASE("each step has its own gradients and all-reduces, those behind the last all-reduce have none") {
  const auto ranks = found(sample::data_parallel({.elements = {100, 200, 300, 400},
                                                  .kernel_us = {10, 10, 10, 10},
                                                  .bucket_ends = {1, 3},
                                                  .late_us = {0, 5},
                                                  .steps = 3}));
  REQUIRE(ranks.size() == 2);
  for (const std::vector<GradientStep>& steps : ranks) {
    REQUIRE(steps.size() == 3);
    for (const GradientStep& step : steps) {
      CHECK(step.reductions.size() == 2);
      std::vector<size_t> buckets;
      for (const Gradient& each : step.gradients) buckets.push_back(each.bucket);
      CHECK(buckets == std::vector<size_t>{0, 1, 1, 2});
    }
  }
}
