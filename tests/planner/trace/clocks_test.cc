// Offsets that were put into clocks are found again.
#include "planner/trace/clocks.h"

#include <doctest/doctest.h>

#include <random>

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
