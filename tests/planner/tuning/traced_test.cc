// The backward pass of a trace: when its gradients were ready, their sizes, and the times of reductions.
#include "planner/tuning/traced.h"

#include <doctest/doctest.h>

#include "planner/tuning/tuned.h"
#include "tests/planner/replay/replayed.h"

using namespace planner::tuning;
using sample::KinetoText;

namespace {

/// A step of a worker as PyTorch's DDP runs it: gradients each 20 us, whose kernel ends 4 us after its operator, and
/// buckets launched behind the last gradient of each.
struct Worker {
  explicit Worker(int rank, int64_t late_us = 0) : text(sample::ranked(rank, 2)), at(late_us) {}

  Worker& gradient(const std::string& shapes = "") {
    const std::string correlation = R"("correlation": )" + std::to_string(++launches);
    text.event("cuda_runtime", "cudaLaunchKernel", 100, "1", std::to_string(at + 5), "2", correlation);
    text.event("kernel", "wgrad", 0, "7", std::to_string(at + 8), "16", correlation + R"(, "stream": 7)");
    text.event("cpu_op", "torch::autograd::AccumulateGrad", 100, "1", std::to_string(at + 10), "10",
               shapes.empty() ? "" : R"("Input Dims": )" + shapes);
    at += 20;
    return *this;
  }
  /// A reduction of `elements` float elements; it begins at `begin` on its stream.
  Worker& reduction(int64_t elements, int64_t begin, int64_t duration) {
    const std::string correlation = R"("correlation": )" + std::to_string(++launches);
    text.event("cuda_runtime", "cudaLaunchKernel", 100, "1", std::to_string(at), "1", correlation);
    text.event("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 0, "20", std::to_string(begin),
               std::to_string(duration),
               correlation + R"(, "stream": 20, "Collective name": "allreduce", "dtype": "Float", "Group size": 2,
               "Process Group Name": "0", "In msg nelems": )" +
                   std::to_string(elements) + R"(, "Out msg nelems": )" + std::to_string(elements));
    at += 2;
    return *this;
  }
  KinetoText text;
  int64_t at;
  int launches = 0;
};

Tunable tunable(const std::vector<KinetoText>& ranks) {
  const sample::Replay replay(ranks);
  return traced_pass(replay.trace, replay.matched);
}

/// Two buckets, of two gradients and of one.
Worker worker(int rank) {
  Worker w(rank);
  w.gradient("[[100], []]").gradient("[[30, 10], []]").reduction(400, 50, 10).gradient("[[2, 100], []]");
  return w.reduction(200, 70, 6);
}

}  // namespace

TEST_CASE("a gradient is there when what was launched up to it has run, and has its part of its bucket") {
  const Tunable found = tunable({worker(0).text, worker(1).text});
  REQUIRE_MESSAGE(found.subject, found.why_not);
  const Subject& subject = *found.subject;
  REQUIRE(subject.pass.pieces.size() == 3);
  const std::vector<double> seconds{16e-6, 20e-6, 22e-6}, bytes{400, 1200, 800};  // 8 to 24, 44, 66 us
  for (size_t i = 0; i < 3; ++i) {
    CHECK(subject.pass.pieces[i].seconds == doctest::Approx(seconds[i]));
    CHECK(subject.pass.pieces[i].gradient_bytes == doctest::Approx(bytes[i]));
  }
  CHECK_FALSE(subject.assumes_sizes);
  CHECK(subject.measured->joins_gradient == std::vector<bool>{false, true, false});
  CHECK(subject.step_seconds == doctest::Approx(68e-6));  // 8 to 76 us
  CHECK(subject.reduction == "all-reduce of 2 ranks");
  // 1600 bytes took 10 us and 800 took 6: 2 us and 5 ns a byte.
  CHECK(subject.sync(1600, 1) == doctest::Approx(10e-6));
  CHECK(subject.sync(800, 2) == doctest::Approx(8e-6));
}

TEST_CASE("without shapes the gradients of a bucket count as equally large") {
  Worker w(0);
  w.gradient().gradient().reduction(400, 50, 10);
  Worker other(1);
  other.gradient("[[7], []]").gradient("[[8], []]").reduction(400, 50, 10);  // not those of the bucket
  for (const KinetoText& text : {w.text, other.text}) {
    const sample::Replay replay({text});
    const Tunable found = traced_pass(replay.trace, replay.matched);
    REQUIRE(found.subject);
    CHECK(found.subject->assumes_sizes);
    for (const Piece& piece : found.subject->pass.pieces) CHECK(piece.gradient_bytes == doctest::Approx(800));
  }
}

TEST_CASE("the measured buckets replay to the measured step, and nothing is better than the best") {
  const Tunable found = tunable({worker(0).text, worker(1).text});
  REQUIRE(found.subject);
  const Subject& subject = *found.subject;
  const double replayed = replay(subject.pass, *subject.measured, Sync(subject.sync, 1)).step_seconds;
  CHECK(replayed == doctest::Approx(subject.step_seconds).epsilon(0.1));
  const Tuned tuned = tune(subject.pass, Sync(subject.sync, 64));
  CHECK(tuned.best.replay.step_seconds <= replayed * (1 + 1e-12));
  for (const TunedFramework& each : tuned.frameworks) {
    CHECK_FALSE(each.framework->fuses_operators);  // a trace does not say what that saves
    CHECK(tuned.best.replay.step_seconds <= each.best.step_seconds * (1 + 1e-12));
  }
}

TEST_CASE("what a reduction takes is never below zero, however its times lie") {
  Worker w(0);
  w.gradient("[[100], []]").reduction(100, 30, 10).gradient("[[200], []]").reduction(200, 52, 6);  // the larger faster
  const Tunable found = tunable({w.text});
  REQUIRE(found.subject);
  CHECK(found.subject->sync(1, 1) == doctest::Approx(8e-6));
  CHECK(found.subject->sync(1e9, 1) == doctest::Approx(8e-6));
}

TEST_CASE("traces without gradients, or without all-reduces of known size, say so") {
  KinetoText kernels;
  kernels.kernel("a", 7, 10, 5);
  CHECK(tunable({kernels}).why_not == "no operator of the traces hands over a gradient");
  Worker w(0);
  w.gradient();
  const Tunable alone = tunable({w.text});
  CHECK_FALSE(alone.subject);
  CHECK(alone.why_not == "the traces have no all-reduce whose size they tell");
  CHECK(alone.hint == "newer profilers record 'In msg nelems'");
}
