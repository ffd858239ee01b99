// A GEMM beside the collective of what it writes: equations against a simulation of every rank, and what must hold.
#include "operator_models/fused_collective.h"

#include <doctest/doctest.h>

#include <functional>
#include <queue>
#include <random>

#include "operator_models/collective.h"
#include "tests/operator_models/devices.h"

using operator_models::Collective;
using operator_models::CollectiveKind;
using operator_models::few_units_factor;
using operator_models::Gemm;
using operator_models::staged_seconds;
using operator_models::streamed_seconds;

namespace {

/// Figure 8.5 of Pati 2024, rank by rank: rank r works on chunk r + 1, r + 2 ... and sends towards r - 1. A chunk
/// leaves when the rank has written its part and the one behind has sent its sum; a link carries one chunk at a time.
class Simulation {
 public:
  Simulation(int ranks, double stage, double step)
      : ranks_(ranks), stage_(stage), step_(step), ranks_state_(static_cast<size_t>(ranks)) {
    for (Rank& r : ranks_state_) r.parts.assign(static_cast<size_t>(ranks), 0);
  }

  double run() {
    for (int r = 0; r < ranks_; ++r) {
      // The first stage's stores go over the link while they are written.
      ranks_state_[static_cast<size_t>(r)].link_free = std::max(stage_, step_);
      at(std::max(stage_, step_), [this, r] { arrives(before(r), chunk(r, 1)); });
      for (int k = 2; k <= ranks_; ++k) at(k * stage_, [this, r, k] { arrives(r, chunk(r, k)); });
    }
    while (!events_.empty()) {
      const Event e = events_.top();
      events_.pop();
      now_ = e.time;
      e.happens();
    }
    return now_;
  }

 private:
  struct Event {
    double time = 0;
    std::function<void()> happens;
    bool operator<(const Event& o) const { return time > o.time; }
  };
  struct Rank {
    std::vector<int> parts;  // of each chunk: written or come
    double link_free = 0;
  };

  int before(int r) const { return (r + ranks_ - 1) % ranks_; }
  int chunk(int r, int stage) const { return (r + stage) % ranks_; }
  void at(double time, std::function<void()> happens) { events_.push({time, std::move(happens)}); }

  void arrives(int r, int c) {
    Rank& rank = ranks_state_[static_cast<size_t>(r)];
    if (++rank.parts[static_cast<size_t>(c)] < 2 || c == chunk(r, ranks_)) return;
    rank.link_free = std::max(rank.link_free, now_) + step_;
    at(rank.link_free, [this, r, c] { arrives(before(r), c); });
  }

  int ranks_;
  double stage_, step_, now_ = 0;
  std::vector<Rank> ranks_state_;
  std::priority_queue<Event> events_;
};

Collective ring(CollectiveKind kind, int64_t ranks, double bytes) {
  return {.kind = kind, .bytes = {bytes}, .group = {.ranks = ranks, .inside = {ranks}}};
}

}  // namespace

TEST_CASE("the stages take what every rank of a simulation takes") {
  std::mt19937 random(8);
  std::uniform_real_distribution<double> seconds(0.01, 3);
  for (int ranks : {2, 3, 4, 8, 16, 33})
    for (int i = 0; i < 40; ++i) {
      const double gemm = ranks * seconds(random), step = seconds(random);
      CAPTURE(ranks);
      CAPTURE(gemm);
      CAPTURE(step);
      CHECK(staged_seconds(gemm, {ranks, step}) == doctest::Approx(Simulation(ranks, gemm / ranks, step).run()));
    }
}

// Section 8.6.1, rank by rank: each stage of a GEMM makes a slice for every other rank, which has a link of its own.
TEST_CASE("what goes straight to its owner takes what every link of a simulation takes") {
  std::mt19937 random(86);
  std::uniform_real_distribution<double> seconds(0.01, 3);
  for (int ranks : {2, 3, 8, 16})
    for (int stages : {1, 2, 7, 40}) {
      const double gemm = seconds(random), moved = seconds(random), latency = 0.1 * seconds(random);
      std::vector<double> free(static_cast<size_t>(ranks * ranks), 0);
      std::vector<int> arrived(static_cast<size_t>(ranks), 0);
      double over = gemm;
      for (int stage = 1; stage <= stages; ++stage)
        for (int from = 0; from < ranks; ++from)
          for (int to = 0; to < ranks; ++to) {
            if (from == to) continue;
            double& link = free[static_cast<size_t>(from * ranks + to)];
            link = std::max(link, stage * gemm / stages) + moved / stages;
            over = std::max(over, link + latency);
            ++arrived[static_cast<size_t>(to)];
          }
      for (int slices : arrived) CHECK(slices == stages * (ranks - 1));  // each owner has all
      CHECK(streamed_seconds(gemm, {moved + latency, latency, static_cast<double>(stages)}) == doctest::Approx(over));
    }
}

TEST_CASE("stages worked out by hand") {
  CHECK(staged_seconds(4, {4, 1}) == 4);      // each step under the next stage
  CHECK(staged_seconds(4, {4, 2}) == 6);      // sent at 2, 4, 6
  CHECK(staged_seconds(4, {4, 1.5}) == 5);    // sent at 1.5, max(1.5, 2) + 1.5 = 3.5, 5
  CHECK(staged_seconds(8, {4, 1}) == 8);      // sent at 2, 5, 7; the last stage ends at 8
  CHECK(staged_seconds(2, {2, 5}) == 5);      // two ranks: one remote write
  CHECK(staged_seconds(0.4, {4, 1}) == 3.0);  // N - 1 steps of the ring
}

TEST_CASE("an instant ring leaves the GEMM, an instant GEMM the ring; neither end is beaten") {
  for (int64_t ranks : {2, 4, 8, 32})
    for (double gemm : {0.1, 1.0, 7.0})
      for (double step : {0.0, 0.05, 0.4, 2.0}) {
        const double together = staged_seconds(gemm, {ranks, step}), steps = static_cast<double>(ranks - 1) * step;
        CHECK(staged_seconds(gemm, {ranks, 0}) == gemm);
        CHECK(staged_seconds(0, {ranks, step}) == doctest::Approx(steps));
        CHECK(together >= std::max(gemm, steps) * (1 - 1e-12));
        CHECK(together <= gemm + steps);
        CHECK(staged_seconds(gemm, {ranks, step * 1.1}) >= together);
        CHECK(staged_seconds(gemm * 1.1, {ranks, step}) >= together);
      }
}

TEST_CASE("an exchange in parts: one part is one after the other, many are the longer of the two") {
  CHECK(streamed_seconds(3, {2, 0, 1}) == 5);
  CHECK(streamed_seconds(3, {2, 0, 4}) == 3.5);
  CHECK(streamed_seconds(3, {2, 0, 1e9}) == doctest::Approx(3));
  CHECK(streamed_seconds(2, {3, 0, 10}) == streamed_seconds(3, {2, 0, 10}));
  CHECK(streamed_seconds(3, {2, 1, 4}) == 3 + 1.0 / 4 + 1);
  CHECK(streamed_seconds(0, {2, 1, 4}) == 2);
}

// Section 8.2.2.1: 41 % with 8 of 80 units give the calibration's number, 7 % with 16 follow.
TEST_CASE("a collective with few compute units") {
  const double full = test::machine({"t3-gpu", "t3-gpu", 75e9, 25e9, false}).calibration.fused.units;
  CHECK(few_units_factor(8, full) == doctest::Approx(1.41).epsilon(0.002));
  CHECK(few_units_factor(16, full) == doctest::Approx(1.07).epsilon(0.005));
  CHECK(few_units_factor(80, full) == doctest::Approx(1).epsilon(0.001));
  CHECK(few_units_factor(0, full) == 1);
  CHECK(few_units_factor(8, 0) == 1);
}

TEST_CASE("what a fused reduce-scatter moves beside its GEMM") {
  const Collective op = ring(CollectiveKind::reduce_scatter, 8, 8e6);
  CHECK(operator_models::fused_traffic(op, 2, false) == doctest::Approx((6 + 2 * 7) * 1e6));
  CHECK(operator_models::fused_traffic(op, 1, false) == doctest::Approx((6 + 7) * 1e6));
  CHECK(operator_models::fused_traffic(ring(CollectiveKind::all_to_all, 8, 8e6), 2, true) == doctest::Approx(7e6));
  CHECK(operator_models::fused_traffic(op, 2, true) == doctest::Approx(2 * 7 * 1e6));
  for (bool straight : {false, true})  // two ranks are a ring and linked with each other
    CHECK(operator_models::fused_traffic(ring(CollectiveKind::reduce_scatter, 2, 8e6), 2, straight) ==
          doctest::Approx(2 * 4e6));
}

TEST_CASE("inputs stay in the last-level cache up to its size") {
  hw_profiles::Accelerator gpu;
  gpu.cache = {2.0 * 100 * (30 + 50)};
  CHECK(operator_models::inputs_fit(Gemm{.m = 30, .n = 50, .k = 100}, gpu));
  CHECK_FALSE(operator_models::inputs_fit(Gemm{.m = 31, .n = 50, .k = 100}, gpu));
  CHECK_FALSE(operator_models::inputs_fit(Gemm{.batch = 2, .m = 30, .n = 50, .k = 100}, gpu));
}

TEST_CASE("the last sum of a ring is part of what adds, and only where the calibration tells it apart") {
  test::Machine m = test::machine(test::kV100);
  const Collective scatter = ring(CollectiveKind::reduce_scatter, 8, 8e8);
  const double without = m.seconds(scatter), gathered = m.seconds(ring(CollectiveKind::all_gather, 8, 8e8));
  CHECK(operator_models::last_reduction_seconds(scatter, m.device()) == 0);
  for (auto& [name, row] : m.calibration.collective) row.reduction = 0.5;
  const double last = operator_models::last_reduction_seconds(scatter, m.device());
  CHECK(last == doctest::Approx(3 * 1e8 / (0.5 * m.gpu.memory_bandwidth.value)));
  CHECK(m.seconds(scatter) == doctest::Approx(without + last));
  CHECK(m.seconds(ring(CollectiveKind::all_gather, 8, 8e8)) == gathered);
}

TEST_CASE("where each rank has a link to each other one the owner adds up what came from all") {
  test::Machine m = test::machine({"t3-gpu", "t3-gpu", 75e9, 25e9, false});
  for (auto& [name, row] : m.calibration.collective) row.reduction = 0.5;
  const Collective scatter = ring(CollectiveKind::reduce_scatter, 8, 8e8);
  CHECK(operator_models::last_reduction_seconds(scatter, m.device()) == doctest::Approx(3 * 1e8 / 0.5e12));
  m.network[0].wiring = hw_profiles::Wiring::fully_connected;
  CHECK(operator_models::last_reduction_seconds(scatter, m.device()) == doctest::Approx(9 * 1e8 / 0.5e12));
}
