// What-ifs on small traces, and their invariants on random ones.
#include "planner/replay/edits.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "tests/planner/replay/replayed.h"

using namespace planner::replay;
using sample::KinetoText;
using sample::kUs;
using sample::ranked;
using sample::Replay;
using sample::span;
using Ends = std::vector<int64_t>;

namespace {

/// A step of one rank that ends at 100 us: everything waits for the thing before it.
KinetoText chain() {
  KinetoText text;
  span(text, "user_annotation", "ProfilerStep#1", 0, 100);
  span(text, "cpu_op", "aten::mm", 0, 10);
  span(text, "cpu_op", "aten::inner", 2, 4);
  text.kernel("gemm", 7, 10, 30);  // launched at 9
  text.event("cuda_sync", "Stream Sync", 0, "7", "12", "30", R"("stream": 7)");
  span(text, "cuda_runtime", "cudaStreamSynchronize", 12, 30);
  span(text, "cuda_runtime", "cudaMalloc", 50, 20);
  return text;
}

/// Whole microseconds.
Ends microseconds(Ends ends) {
  for (int64_t& end : ends) end /= kUs;
  return ends;
}
std::vector<size_t> found(const Replay& replay, const std::vector<Scaling>& scalings) {
  Replayed changed = replay.replayed;
  return apply({.scalings = scalings}, replay.trace, replay.matched, changed).scaled;
}
Ends scaled(const Replay& replay, const std::vector<Scaling>& scalings) { return replay.ends({.scalings = scalings}); }

/// Ranks of a run, in rounds: operators that launch kernels, a collective that waits for them, sometimes a host that
/// waits for its device. All times are even, so that halves are whole.
class RandomRun {
 public:
  RandomRun(std::mt19937& random, size_t ranks) : random_(random), clocks_(ranks) {
    for (size_t r = 0; r < ranks; ++r) texts_.push_back(ranked(static_cast<int>(r), static_cast<int>(ranks)));
    for (int round = 0; round < 6; ++round) {
      for (size_t r = 0; r < ranks; ++r) compute(r);
      communicate();
      for (size_t r = 0; r < ranks; ++r)
        if (below(3) == 0) synchronise(r);
    }
  }
  const std::vector<KinetoText>& texts() const { return texts_; }

 private:
  struct Clock {
    int64_t host = 0, streams[10] = {};
  };
  int64_t below(int64_t most) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(most)); }
  int64_t even(int64_t most) { return 2 + 2 * below(most); }

  void compute(size_t r) {
    for (int64_t count = below(4); count > 0; --count) {
      Clock& clock = clocks_[r];
      const int64_t taken = even(10);
      span(texts_[r], "cpu_op", below(2) ? "aten::mm" : "aten::add", clock.host, taken + 2);
      clock.host += taken;
      launch(r, below(2) ? "gemm" : "add", below(4) ? 7 : 8, even(40));
      clock.host += even(6);
    }
  }
  // Returns when it begins.
  int64_t launch(size_t r, const std::string& name, int stream, int64_t duration) {
    Clock& clock = clocks_[r];
    const std::string correlation = R"("correlation": )" + std::to_string(++launched_);
    const int64_t begin = std::max(clock.host + 4, clock.streams[stream]);
    texts_[r].event("cuda_runtime", "cudaLaunchKernel", 100, "1", std::to_string(clock.host), "2", correlation);
    texts_[r].event("kernel", name, 0, std::to_string(stream), std::to_string(begin), std::to_string(duration),
                    correlation + R"(, "stream": )" + std::to_string(stream));
    clock.streams[stream] = begin + duration;
    clock.host += 2;
    return begin;
  }
  void communicate() {
    int64_t last = 0;
    for (Clock& clock : clocks_) {
      clock.host += even(30);
      clock.streams[9] = std::max(clock.streams[9], clock.streams[7]);  // it waits for an event
      last = std::max({last, clock.host + 6, clock.streams[9]});
    }
    const int64_t end = last + even(20);
    for (size_t r = 0; r < clocks_.size(); ++r) {
      span(texts_[r], "cuda_runtime", "cudaStreamWaitEvent", clocks_[r].host, 2);
      clocks_[r].host += 2;
      launch(r, "ncclAll", 9, end - std::max(clocks_[r].host + 4, clocks_[r].streams[9]));
    }
  }
  void synchronise(size_t r) {
    Clock& clock = clocks_[r];
    const int64_t end = std::max(clock.host, std::max(clock.streams[7], clock.streams[9])) + 4;
    span(texts_[r], "cuda_runtime", "cudaStreamSynchronize", clock.host, end - clock.host);
    clock.host = end + 2;
  }

  std::mt19937& random_;
  std::vector<Clock> clocks_;
  std::vector<KinetoText> texts_;
  int launched_ = 0;
};

/// Checks that no rank is done later, and whether some are earlier.
bool never_later(const Ends& ends, const Ends& than) {
  REQUIRE(ends.size() == than.size());
  for (size_t r = 0; r < ends.size(); ++r) CHECK(ends[r] <= than[r]);
  return ends != than;
}

}  // namespace

TEST_CASE("a scaling changes what has its name: kernels, operators, calls, annotations") {
  const Replay replay({chain()});
  REQUIRE(replay.worst() == 0);
  REQUIRE(microseconds(replay.ends()) == Ends{100});
  const struct {
    const char* pattern;
    double factor;
    size_t found;
    int64_t end_us;
  } rows[] = {
      {"gemm", 2, 1, 130},          {"gemm", 0.5, 1, 85},
      {"gemm", 0, 1, 80},                                   // the call that waits takes 10 us by itself
      {"aten::mm", 2, 1, 109},                              // the launch counts from the begin of its call
      {"aten::inner", 0, 1, 96},    {"aten::*", 0, 2, 91},  // what stands in another counts once
      {"cudaMalloc", 0.5, 1, 90},   {"cuda*", 1, 3, 100},
      {"ProfilerStep#1", 0, 1, 33},  // a launch, the kernel and the return
      {"Stream Sync", 9, 0, 100},    // what a device says of a wait is no work
      {"nothing", 9, 0, 100},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.pattern));
    CAPTURE(row.factor);
    CHECK(found(replay, {{row.pattern, row.factor, {}}}) == std::vector<size_t>{row.found});
    CHECK(microseconds(scaled(replay, {{row.pattern, row.factor, {}}})) == Ends{row.end_us});
  }
  CHECK(found(replay, {{"gemm", 2, {}}, {"x", 2, {}}, {"aten::*", 2, {}}}) == std::vector<size_t>{1, 0, 2});
}

TEST_CASE("a scaling of one rank leaves the others, but for the transfers that they share") {
  std::vector<KinetoText> texts;
  for (int r = 0; r < 3; ++r) {
    texts.push_back(ranked(r, 3));
    texts.back().kernel("gemm", 7, 10, 20).kernel("ncclAll", 9, 40, 10).kernel("adam", 7, 60, 10);
  }
  const Replay replay(texts);
  REQUIRE(microseconds(replay.ends()) == Ends{70, 70, 70});
  CHECK(microseconds(scaled(replay, {{"adam", 2, 1}})) == Ends{70, 80, 70});
  CHECK(microseconds(scaled(replay, {{"adam", 2, 0}, {"adam", 3, 2}})) == Ends{80, 70, 90});
  CHECK(microseconds(scaled(replay, {{"ncclAll", 5, 1}})) == Ends{90, 90, 90});
  CHECK(found(replay, {{"adam", 2, 1}, {"adam", 2, {}}, {"*", 2, 2}}) == std::vector<size_t>{1, 3, 6});
}

TEST_CASE("the speed of hosts leaves launches, returns and what devices do") {
  const Replay replay({chain()});
  // Half of 9 us, a launch of 1 us, 30 us of a kernel, 2 us to the return, half of 58 us.
  CHECK(replay.ends({.host_speed = 2}) == Ends{66'500});
  CHECK(replay.ends({.host_speed = 0.5}) == Ends{(18 + 1 + 30 + 2 + 116) * kUs});
  CHECK(replay.ends({.host_speed = 1}) == replay.ends());
}

TEST_CASE("without stragglers each rank's transfer begins when it arrives") {
  std::vector<KinetoText> texts;
  for (const int r : {0, 1, 2}) {
    KinetoText text = ranked(r, 3).kernel("ncclAll", 9, 10 + 20 * r, 50 - 20 * r);
    text.event("cuda_runtime", "cudaLaunchKernel", 100, "1", std::to_string(11 + 20 * r), "1", R"("correlation": 9)");
    texts.push_back(text.event("kernel", "adam", 0, "9", "60", "5", R"("stream": 9, "correlation": 9)"));
  }
  const Replay replay(texts);
  REQUIRE(microseconds(replay.ends()) == Ends{65, 65, 65});
  CHECK(microseconds(replay.ends({.no_stragglers = true})) == Ends{25, 45, 65});
  CHECK(microseconds(replay.ends({.scalings = {{"ncclAll", 2, {}}}, .no_stragglers = true})) == Ends{35, 55, 75});
}

TEST_CASE("with perfect overlap no kernel waits for one that communicates, and others are waited for") {
  KinetoText text;
  text.kernel("gemm", 7, 10, 50);
  span(text, "cuda_runtime", "cudaStreamWaitEvent", 12, 1);
  text.kernel("ncclAll", 9, 60, 20);  // it waits for the kernel
  span(text, "cuda_runtime", "cudaStreamWaitEvent", 62, 1);
  text.kernel("adam", 7, 80, 10);
  const Replay replay({text});
  const auto ends = [&](const char* pattern, bool overlap) {
    return microseconds(replay.ends({.scalings = {{pattern, 3, {}}}, .perfect_overlap = overlap}))[0];
  };
  CHECK(ends("gemm", false) == 190);
  CHECK(ends("gemm", true) == 180);  // the collective's end
  CHECK(ends("ncclAll", false) == 130);
  CHECK(ends("ncclAll", true) == 120);
}

TEST_CASE("random runs: what takes less time ends nothing later, and no change changes nothing") {
  std::mt19937 random(17);
  size_t earlier = 0, rounds = 0;
  for (; rounds < 30; ++rounds) {
    const Replay replay(RandomRun(random, 1 + rounds % 4).texts());
    CHECK(replay.worst() == 0);
    const Ends ends = replay.ends();
    for (const char* pattern : {"*", "gemm", "aten::*", "nccl*", "cudaLaunchKernel"}) {
      CHECK(scaled(replay, {{pattern, 1, {}}}) == ends);
      Ends before = scaled(replay, {{pattern, 2, {}}});
      never_later(ends, before);
      before = ends;
      for (const double factor : {0.9, 0.5, 0.1, 0.0}) {
        const Ends after = scaled(replay, {{pattern, factor, {}}});
        earlier += never_later(after, before);
        never_later(after, scaled(replay, {{pattern, factor, 0}}));  // of one rank alone
        before = after;
      }
    }
    never_later(replay.ends({.host_speed = 4}), replay.ends({.host_speed = 2}));
    never_later(replay.ends({.host_speed = 2}), ends);
    never_later(ends, replay.ends({.host_speed = 0.5}));
    CHECK(replay.ends({.host_speed = 1}) == ends);
    earlier += never_later(replay.ends({.no_stragglers = true}), ends);
    earlier += never_later(replay.ends({.perfect_overlap = true}), ends);
    never_later(replay.ends({.no_stragglers = true, .perfect_overlap = true}), replay.ends({.no_stragglers = true}));
  }
  CHECK(earlier > 5 * rounds);  // else nothing was tested
}

TEST_CASE("random runs: scaling twice is scaling by the product, and the order of scalings does not count") {
  std::mt19937 random(23);
  for (int round = 0; round < 10; ++round) {
    const Replay replay(RandomRun(random, 3).texts());
    for (const char* pattern : {"gemm", "nccl*"}) {
      CHECK(scaled(replay, {{pattern, 2, {}}, {pattern, 3, {}}}) == scaled(replay, {{pattern, 6, {}}}));
      CHECK(scaled(replay, {{pattern, 4, {}}, {pattern, 0.5, {}}}) == scaled(replay, {{pattern, 2, {}}}));
      CHECK(scaled(replay, {{pattern, 0.5, {}}, {pattern, 0.5, {}}}) == scaled(replay, {{pattern, 0.25, {}}}));
    }
    CHECK(scaled(replay, {{"gemm", 2, {}}, {"add", 0.5, {}}}) == scaled(replay, {{"add", 0.5, {}}, {"gemm", 2, {}}}));
  }
}
