// Predictions of a trace's collectives, and how near they come.
#include "planner/replay/priced.h"

#include <doctest/doctest.h>

#include "tests/planner/replay/machines.h"
#include "tests/planner/trace/kineto_text.h"

using namespace planner::replay;
using sample::KinetoText;

namespace {

const operator_models::Machine kHere = sample::machine();

struct Sample {
  explicit Sample(const std::vector<int64_t>& microseconds) {
    KinetoText text(R"("distributedInfo": {"rank": 0, "world_size": 4}, )");
    int64_t at = 10;
    for (const int64_t us : microseconds) {
      text.kernel("nccl", 9, at, us,
                  R"("Collective name": "allreduce", "Process Group Name": "0", "Group size": 4, "dtype": "Float", )"
                  R"("In msg nelems": 25000000)");
      at += us + 10;
    }
    text.kernel("ncclKernel_AllReduce", 8, at, 5);  // nothing says its bytes
    trace = sample::trace({text});
    matched = planner::trace::match_collectives(trace);
  }
  planner::trace::Trace trace;
  planner::trace::Matched matched;
};

}  // namespace

TEST_CASE("each collective has its seconds, or what is missing for them") {
  const Sample sample({100});
  const Priced priced = price(sample.trace, sample.matched, {&kHere}, nullptr);
  REQUIRE(priced.collectives.size() == 2);
  CHECK(priced.collectives[0].seconds.value() > 1.5e-3);  // 100 MB over 100 GB/s, one and a half times
  CHECK(!priced.collectives[1].seconds);
  CHECK(priced.collectives[1].missing == "the trace does not say how many bytes it moves");
  CHECK(!priced.other);
  const Site there{&kHere};
  CHECK(price(sample.trace, sample.matched, {&kHere}, &there).other);
}

TEST_CASE("sums count what is predicted, and how much of it is near") {
  const Sample exact({100});
  const double predicted = *price(exact.trace, exact.matched, {&kHere}, nullptr).collectives[0].seconds;
  const auto us = static_cast<int64_t>(predicted * 1e6);
  const Sample sample({us, us * 14 / 10, us * 16 / 10, us * 10 / 14, us / 2});
  const PredictedSum sum = sum_of(price(sample.trace, sample.matched, {&kHere}, nullptr), sample.matched);
  CHECK(sum.count == 5);
  CHECK(sum.alone == 5);
  CHECK(sum.within == 3);
  CHECK(sum.predicted_seconds == doctest::Approx(5 * predicted));
  CHECK(sum.measured_seconds == doctest::Approx(predicted * (1 + 1.4 + 1.6 + 1 / 1.4 + 0.5)).epsilon(0.01));
  CHECK(sum_of({}, sample.matched).count == 0);
}
