// What-ifs of a part of the trace: what begins before something else, and operators that are left out.
#include <doctest/doctest.h>

#include "tests/planner/replay/replayed.h"

using namespace planner::replay;
using sample::KinetoText;
using sample::kUs;
using sample::ranked;
using sample::Replay;
using sample::span;
using Ends = std::vector<int64_t>;

namespace {

Ends us(std::initializer_list<int64_t> microseconds) {
  Ends ends;
  for (const int64_t each : microseconds) ends.push_back(each * kUs);
  return ends;
}

/// An operator of 20 us with two kernels, a collective of both ranks, and the same operator again.
KinetoText rank_of_two(int rank, int64_t late) {
  KinetoText text = ranked(rank, 2);
  span(text, "cpu_op", "aten::mm", late, 20);
  text.kernel("gemm", 7, late + 6, 10).kernel("gemm", 7, late + 16, 10);  // launched at 5 and 15
  text.kernel("ncclAll", 9, late + 31, 69 - late);                        // launched at 30
  span(text, "cpu_op", "aten::mm", late + 40, 20);
  text.kernel("gemm", 7, late + 46, 30);  // launched at 45
  return text;
}

}  // namespace

TEST_CASE("before: what begins behind the first event of a name keeps its time") {
  const Replay replay({rank_of_two(0, 0)});
  REQUIRE(replay.ends() == us({100}));
  const auto ends = [&](const Scaling& scaling) { return replay.ends({.scalings = {scaling}}); };
  CHECK(ends({"aten::mm", 0, {}}) == us({80}));  // all of the first one is before the collective
  CHECK(ends({"aten::mm", 0, {}, "ncclAll"}) == us({80}));
  CHECK(ends({"aten::mm", 0, {}, "aten::mm"}) == us({100}));  // nothing is before the first of its own name
  CHECK(ends({"aten::mm", 0, {}, "none"}) == us({100}));      // nor before what never comes
  CHECK(ends({"gemm", 4, {}}) == us({6 + 40 + 40 + 120}));
  CHECK(ends({"gemm", 9, {}, "nccl*"}) == us({6 + 180 + 30}));
  CHECK(ends({"gemm", 9, {}, "gemm"}) == us({100}));
}

TEST_CASE("before: an operator is scaled up to the moment") {
  KinetoText text;
  span(text, "cpu_op", "outer", 0, 100);
  span(text, "cpu_op", "marker", 60, 10);
  span(text, "cuda_runtime", "cudaMalloc", 98, 2);
  const Replay replay({text});
  CHECK(replay.ends({.scalings = {{"outer", 0.5, {}, "marker"}}}) == us({70}));
  CHECK(replay.ends({.scalings = {{"outer", 0.5, {}}}}) == us({50}));
}

TEST_CASE("an operator that is left out takes what it launched with it") {
  const Replay replay({rank_of_two(0, 0)});
  const auto without = [&](const char* pattern, const char* before = "") {
    return replay.ends({.scalings = {{pattern, 0, {}, before, true}}});
  };
  CHECK(without("aten::mm") == replay.ends({.scalings = {{"aten::mm", 0, {}}, {"gemm", 0, {}}}}));
  CHECK(without("aten::mm", "nccl*") ==
        replay.ends({.scalings = {{"aten::mm", 0, {}, "nccl*"}, {"gemm", 0, {}, "nccl*"}}}));
  CHECK(without("gemm") == replay.ends({.scalings = {{"gemm", 0, {}}}}));  // a kernel launches nothing
}

TEST_CASE("a collective that is left out is waited for by nobody") {
  const Replay replay({rank_of_two(0, 0), rank_of_two(1, 20)});
  REQUIRE(replay.ends() == us({100, 100}));
  const auto without = [&](std::optional<size_t> rank) {
    return replay.ends({.scalings = {{"ncclAll", 0, rank, "", true}}});
  };
  CHECK(without({}) == us({76, 96}));  // the last kernel of each
  CHECK(without(1) == us({80, 96}));   // rank 0's transfer takes 49 us of its own, from 31 us on
  CHECK(without(0) == us({76, 100}));
  CHECK(replay.ends({.scalings = {{"ncclAll", 0, {}}}}) == us({76, 96}));  // the wait for the last stays: 51 us
}
