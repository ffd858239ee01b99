// Rows of a GEMM's matrices that are not a multiple of 16 bytes.
#include <doctest/doctest.h>

#include "planner/workload/cost.h"
#include "tests/planner/sample.h"

using operator_models::Gemm;
using operator_models::GemmPass;
using sample::Sets;

TEST_CASE("a GEMM is unaligned where rows in memory are: not for its tokens, not in fp32, not where they are padded") {
  const auto unaligned = [](const Gemm& g) { return std::get<Gemm>(planner::oriented(g)).unaligned; };
  CHECK(!unaligned({.m = 4096, .n = 1001, .k = 1024}));  // a workload's n are tokens
  CHECK(unaligned({.m = 4097, .n = 1024, .k = 1024}));
  CHECK(unaligned({.m = 4096, .n = 1024, .k = 1004}));
  CHECK(!unaligned({.m = 4096, .n = 1024, .k = 1001, .pass = GemmPass::wgrad}));
  CHECK(unaligned({.m = 4096, .n = 1001, .k = 1024, .pass = GemmPass::wgrad}));
  CHECK(!unaligned({.m = 4096 + 8, .n = 1024, .k = 1024, .precision = hw_profiles::Precision::bf16}));
  CHECK(unaligned({.m = 4096 + 8, .n = 1024, .k = 1024, .precision = hw_profiles::Precision::fp8}));
  CHECK(!unaligned({.m = 4097, .n = 1024, .k = 1001, .precision = hw_profiles::Precision::fp32}));
  // GPT-2's vocabulary, as it is and padded, by whoever.
  const auto seconds = [](const Sets& sets) { return sample::plan(sample::gpt(sets)).step->seconds; };
  const double odd = seconds({"model.vocab=50257"}), padded = seconds({"model.vocab=50304"});
  CHECK(odd > 1.05 * padded);
  CHECK(seconds({"model.vocab=50257", "software.pads_gemms=true"}) < padded);
}
