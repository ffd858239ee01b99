// Why a device was idle, by hand.
#include <doctest/doctest.h>

#include "planner/replay/account.h"
#include "tests/planner/replay/replayed.h"

using namespace planner::replay;
using sample::KinetoText;
using sample::kUs;
using sample::Replay;

namespace {

Idle idle(const Replay& replay) {
  const auto runs = run(replay.replayed.graph).value();
  return idle_of(replay.trace[0], 0, replay.steps[0][0].window, replay.replayed, runs);
}

/// A kernel of stream 7 and its launch, so long before.
void launched(KinetoText& text, int number, int64_t call, int64_t start, int64_t duration) {
  const std::string same = R"("correlation": )" + std::to_string(5000 + number);
  text.event("cuda_runtime", "cudaLaunchKernel", 100, "1", std::to_string(call), "1", same);
  text.event("kernel", "k", 0, "7", std::to_string(start), std::to_string(duration), same + R"(, "stream": 7)");
}

}  // namespace

TEST_CASE("a device that waits for launches is bound by its host") {
  KinetoText text;
  for (int i = 0; i < 5; ++i) launched(text, i, 100 * i, 100 * i + 4, 30);
  const Replay replay({text});
  CHECK(idle(replay).host_ns == (4 + 4 * 70) * kUs);
  CHECK(idle(replay).gap_ns == 0);
  CHECK(idle(replay).unexplained_ns == 0);
  CHECK(idle(replay).sum_ns() == replay.steps[0][0].ran.idle_ns());
}

TEST_CASE("kernels that were launched long before have gaps of the device between them") {
  KinetoText text;
  for (int i = 0; i < 5; ++i) launched(text, i, 2 * i, 20 + 32 * i, 30);
  const Idle found = idle(Replay({text}));
  CHECK(found.host_ns == 20 * kUs);  // before the first one
  CHECK(found.gap_ns == 4 * 2 * kUs);
  CHECK(found.unexplained_ns == 0);
}

TEST_CASE("a kernel that was launched and begins long after it could is unexplained") {
  KinetoText text;
  for (int i = 0; i < 5; ++i) launched(text, i, 100 * i, 100 * i + 4, 30);
  launched(text, 5, 500, 900, 30);  // 400 us behind its launch; 4 are usual
  const Idle found = idle(Replay({text}));
  CHECK(found.unexplained_ns == (400 - 4 - 20) * kUs);
  CHECK(found.sum_ns() == (4 + 4 * 70 + 900 - 434) * kUs);
}
