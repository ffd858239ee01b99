// Offsets that were put into clocks are found again.
#include "planner/trace/clocks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "planner/trace/clock_equations.h"
#include "planner/trace/readers.h"
#include "tests/planner/trace/byteps_text.h"
#include "tests/planner/trace/kineto_text.h"

using namespace planner::trace;
using sample::KinetoText;
using sample::kUs;

namespace {

/// Ranks whose collectives end at once but for some microseconds; rank r's clock is behind by `behind[r]` us. Groups:
/// of all ranks, or of neighbours that overlap.
Trace run_of(const std::vector<int64_t>& behind, bool chained, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<KinetoText> ranks;
  for (size_t r = 0; r < behind.size(); ++r)
    ranks.emplace_back(R"("distributedInfo": {"rank": )" + std::to_string(r) + R"(, "world_size": )" +
                       std::to_string(behind.size()) + "}, ");
  for (int64_t k = 0; k < 12; ++k)
    for (size_t group = 0; group < (chained ? behind.size() - 1 : 1); ++group)
      for (size_t r = 0; r < behind.size(); ++r) {
        if (chained && r != group && r != group + 1) continue;
        const int64_t end =
            100'000 + 10'000 * k + 300 * static_cast<int64_t>(group) + static_cast<int64_t>(random() % 5);
        const int64_t duration = 20 + static_cast<int64_t>(random() % 200);
        ranks[r].kernel("nccl", 9, end - duration - behind[r], duration,
                        R"("Collective name": "allreduce", "Process Group Name": "g)" + std::to_string(group) + "\"");
      }
  return sample::trace(ranks);
}

std::vector<size_t> each_alone(size_t ranks) {
  std::vector<size_t> hosts;
  for (size_t r = 0; r < ranks; ++r) hosts.push_back(r);
  return hosts;
}

}  // namespace

TEST_CASE("offsets of up to 10 ms are found within 20 us, whether ranks meet at once or in a chain") {
  std::mt19937 random(5);
  for (unsigned round = 0; round < 20; ++round) {
    std::vector<int64_t> behind{0};
    while (behind.size() < 8) behind.push_back(static_cast<int64_t>(random() % 20'000) - 10'000);
    for (const bool chained : {false, true}) {
      Trace trace = run_of(behind, chained, round);
      const Clocks clocks = align_clocks(trace, match_collectives(trace), each_alone(8));
      CHECK(clocks.notes.empty());
      for (size_t r = 0; r < 8; ++r) CHECK(std::abs(clocks.offsets_ns[r] - behind[r] * kUs) <= 20 * kUs);
      CHECK(clocks.before_ns > 100 * kUs);
      CHECK(clocks.after_ns <= 8 * kUs);
      shift(trace, clocks);
      const Matched aligned = match_collectives(trace);
      for (const Collective& collective : aligned.collectives) CHECK(collective.transfer_ns <= 230 * kUs);
    }
  }
}

TEST_CASE("ranks of one host share a clock") {
  const std::vector<int64_t> behind{0, 0, 7000, 7000, -300, -300, 9999, 9999};
  const std::vector<size_t> hosts{0, 0, 1, 1, 2, 2, 3, 3};
  const Trace trace = run_of(behind, false, 1);
  const Clocks clocks = align_clocks(trace, match_collectives(trace), hosts);
  for (size_t r = 0; r < 8; ++r) {
    CHECK(std::abs(clocks.offsets_ns[r] - behind[r] * kUs) <= 20 * kUs);
    CHECK(clocks.offsets_ns[r] == clocks.offsets_ns[r / 2 * 2]);
  }
}

TEST_CASE("ranks that no collective connects keep their clocks") {
  std::vector<KinetoText> ranks;
  for (int r = 0; r < 3; ++r)
    ranks.push_back(KinetoText(R"("distributedInfo": {"rank": )" + std::to_string(r) + R"(, "world_size": 3}, )")
                        .kernel("nccl", 9, 100 + 50 * r, 10,
                                R"("Collective name": "allreduce", "Process Group Name": ")" +
                                    std::string(r < 2 ? "a" : "b") + "\""));
  const Trace trace = sample::trace(ranks);
  const Clocks clocks = align_clocks(trace, match_collectives(trace), each_alone(3));
  CHECK(clocks.offsets_ns == std::vector<int64_t>{0, -50 * kUs, 0});
  CHECK(clocks.notes ==
        std::vector<std::string>{"no collective connects rank 2 with rank 0: its clock is taken as it stands"});
}

namespace {

/// Ranks of two or more hosts whose collectives end at once except for some microseconds, one every 10 ms. Rank r's
/// clock is behind by `behind_us[r]` at first, and by a further `ppm[r]` of the elapsed time.
Trace drifting(const std::vector<int64_t>& behind_us, const std::vector<int64_t>& ppm, int64_t collectives,
               unsigned seed) {
  std::mt19937 random(seed);
  std::vector<KinetoText> ranks;
  for (size_t r = 0; r < ppm.size(); ++r)
    ranks.emplace_back(R"("distributedInfo": {"rank": )" + std::to_string(r) + R"(, "world_size": )" +
                       std::to_string(ppm.size()) + "}, ");
  for (int64_t k = 0; k < collectives; ++k)
    for (size_t r = 0; r < ppm.size(); ++r) {
      const int64_t end = 10'000 * k + static_cast<int64_t>(random() % 5);
      const int64_t shown = end - behind_us[r] - end * ppm[r] / 1'000'000;
      const int64_t duration = 20 + static_cast<int64_t>(random() % 200);
      ranks[r].kernel("nccl", 9, 100'000 + shown - duration, duration,
                      R"("Collective name": "allreduce", "Process Group Name": "g")");
    }
  return sample::trace(ranks);
}

/// The largest error in us of a clock, at the first and the last collective.
int64_t error_us(const Trace& trace, const Clocks& clocks, const std::vector<int64_t>& behind_us,
                 const std::vector<int64_t>& ppm, int64_t collectives) {
  int64_t worst = 0;
  for (size_t r = 0; r < trace.size(); ++r)
    for (const int64_t end : {int64_t{0}, 10'000 * (collectives - 1)}) {
      const int64_t shown = 100'000 + end - behind_us[r] - end * ppm[r] / 1'000'000;
      worst = std::max(worst, std::abs(clocks.moved(r, shown * kUs) - (100'000 + end) * kUs) / kUs);
    }
  return worst;
}

}  // namespace

TEST_CASE("clocks that drift are put in step over the whole trace") {
  const struct {
    std::vector<int64_t> behind_us, ppm;
    int64_t collectives, most_error_us;
  } rows[] = {
      {{0, 3000}, {0, 50}, 400, 5},                     // 4 s: 200 us
      {{0, -9000, 4000, 7}, {0, -30, 80, 15}, 400, 5},  // four hosts
      {{0, 500}, {0, 500}, 100, 10},                    // 1 s: 500 us
      {{0, 3000, -2000}, {0, 0, 0}, 400, 5},            // none
      {{0, 0, 0, 0, 0, 0, 0, 0}, {0, 9, -9, 20, 0, 5, -40, 100}, 1000, 5},
  };
  for (const auto& row : rows) {
    const Trace trace = drifting(row.behind_us, row.ppm, row.collectives, 3);
    const Clocks clocks = align_clocks(trace, match_collectives(trace), each_alone(row.ppm.size()));
    CHECK(error_us(trace, clocks, row.behind_us, row.ppm, row.collectives) <= row.most_error_us);
    CHECK(clocks.after_ns <= 12 * kUs);
  }
}

TEST_CASE("a trace that is too short to tell drift has offsets alone") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Trace few = drifting({0, 700}, {0, 50}, 7, seed), still = drifting({0, 700}, {0, 0}, 60, seed);
    CHECK(align_clocks(few, match_collectives(few), each_alone(2)).drifts_ns == std::vector<int64_t>{0, 0});
    CHECK(align_clocks(still, match_collectives(still), each_alone(2)).drifts_ns == std::vector<int64_t>{0, 0});
  }
  const Trace fast = drifting({0, 0}, {0, 5000}, 100, 1);  // no clock is off by that much
  CHECK(align_clocks(fast, match_collectives(fast), each_alone(2)).drifts_ns == std::vector<int64_t>{0, 0});
}

TEST_CASE("clocks that are moved keep the order and the ends of events") {
  Trace trace = drifting({0, 3000}, {0, 400}, 100, 2);
  const Trace before = trace;
  const Clocks clocks = put_in_step(trace, each_alone(2));
  CHECK(clocks.drifts_ns[1] > 0);
  for (size_t r = 0; r < 2; ++r)
    for (size_t i = 0; i < trace[r].events.size(); ++i) {
      CHECK(trace[r].events[i].start_ns == clocks.moved(r, before[r].events[i].start_ns));
      CHECK(trace[r].events[i].end_ns() == clocks.moved(r, before[r].events[i].end_ns()));
      if (i > 0) CHECK(trace[r].events[i].start_ns >= trace[r].events[i - 1].start_ns);
    }
}

namespace {

/// Rounds of workers of which any may be the last to push, and worker r is served `later_us[r]` after it was. Worker
/// r's clock is behind by `behind_us[r]`.
Trace served(const std::vector<int64_t>& behind_us, const std::vector<int64_t>& later_us, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<sample::WorkerText> workers(behind_us.size());
  for (int64_t k = 0; k < 200; ++k) {
    std::vector<int64_t> pushed;
    for (size_t r = 0; r < behind_us.size(); ++r)
      pushed.push_back(200'000 + 20'000 * k + static_cast<int64_t>(random() % 4000));
    const int64_t last = *std::ranges::max_element(pushed);
    for (size_t r = 0; r < behind_us.size(); ++r) {
      const int64_t pulled = last + later_us[r] + static_cast<int64_t>(random() % 20);
      workers[r].round("t", 7, pushed[r] - 100 - behind_us[r], pushed[r] - behind_us[r], pushed[r] + 1 - behind_us[r],
                       pulled - behind_us[r]);
    }
  }
  std::vector<std::string> texts;
  for (const sample::WorkerText& worker : workers) texts.push_back(worker.text());
  return sample::ranks_of(texts);
}

/// What the ends of PULLs alone put the second clock forward by, in us.
double by_ends_us(const Trace& trace) {
  double sum = 0, count = 0;
  for (const Collective& each : match_collectives(trace).collectives) {
    const auto end = [&](size_t part) { return trace[each.parts[part].rank].events[each.parts[part].event].end_ns(); };
    sum += static_cast<double>(end(0) - end(1)) / kUs;
    count += 1;
  }
  return sum / count;
}

}  // namespace

TEST_CASE("clocks of workers are found where one is regularly served later than another") {
  const struct {
    std::vector<int64_t> behind_us, later_us;
  } rows[] = {
      {{0, 30'000}, {200, 200}},
      {{0, 30'000}, {200, 900}},
      {{0, -12'000}, {1500, 200}},
      {{0, 8000, -15'000, 40'000}, {200, 500, 800, 1100}},
  };
  for (const auto& row : rows)
    for (unsigned seed = 0; seed < 3; ++seed) {
      const Trace trace = served(row.behind_us, row.later_us, seed);
      REQUIRE(trace.size() == row.behind_us.size());
      const Clocks clocks = align_clocks(trace, match_collectives(trace), each_alone(trace.size()));
      for (size_t r = 0; r < trace.size(); ++r)
        CHECK(std::abs(clocks.offsets_ns[r] - row.behind_us[r] * kUs) <= 15 * kUs);
      CHECK(clocks.after_ns == 0);
      if (trace.size() > 2) continue;
      const auto later = static_cast<double>(row.later_us[1] - row.later_us[0]);
      CHECK(std::abs(by_ends_us(trace) - static_cast<double>(row.behind_us[1]) + later) < 3);
    }
}

TEST_CASE("least squares of ends have the clocks of hosts, and drifts only where these tell what they have not seen") {
  std::vector<Ends> all;
  for (int k = 0; k <= 10; ++k) {
    const double x = k / 10.0;
    all.push_back({{0, 1000.0 * k, x}, {1, 1000.0 * k - 50 - 20 * x, x}});
  }
  const HostClocks clocks = solve_clocks(all, {true, false}, true);
  CHECK(clocks.offsets[1] == doctest::Approx(50));
  CHECK(clocks.drifts[1] == doctest::Approx(20));
  CHECK(clocks.offsets[0] == doctest::Approx(0));
  CHECK(squares_of(all, clocks) == doctest::Approx(0));
  CHECK(solve_clocks(all, {true, false}, false).offsets[1] == doctest::Approx(60));
  CHECK(drifts_tell(all, {true, false}));
  for (Ends& ends : all) ends[1].at += 20 * ends[1].x;
  all[3][1].at += 5;
  CHECK(!drifts_tell(all, {true, false}));
}
