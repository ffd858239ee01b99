// Collectives across ranks: waits and transfers that are known, and what does not match.
#include "planner/trace/collectives.h"

#include <doctest/doctest.h>

#include "tests/planner/trace/kineto_text.h"

using namespace planner::trace;
using sample::KinetoText;
using sample::ranked;

namespace {

std::string args(const std::string& group, int size = 2, int elements = 8) {
  return R"("Collective name": "allreduce", "Process Group Name": ")" + group + R"(", "Group size": )" +
         std::to_string(size) + R"(, "dtype": "BFloat16", "In msg nelems": )" + std::to_string(elements);
}

}  // namespace

TEST_CASE("who comes last is waited for; the rest is the transfer") {
  const Trace trace = sample::trace({ranked(0, 3).kernel("ncclAll(x)", 9, 10, 95).kernel("ncclAll(x)", 9, 200, 10),
                                     ranked(1, 3).kernel("ncclAll(y)", 9, 40, 65).kernel("ncclAll(y)", 9, 150, 60),
                                     ranked(2, 3).kernel("ncclAll(z)", 9, 100, 4).kernel("ncclAll(z)", 9, 199, 9)});
  const Matched matched = match_collectives(trace);
  CHECK(matched.mistakes.empty());
  CHECK(matched.notes.empty());
  REQUIRE(matched.collectives.size() == 2);
  const Collective& first = matched.collectives[0];
  CHECK(first.name == "ncclAll");
  CHECK(first.transfer_ns == 5'000);
  CHECK(first.parts[first.last].rank == 2);
  CHECK(first.parts[0].wait_ns == 90'000);
  CHECK(first.parts[1].wait_ns == 60'000);
  CHECK(first.parts[2].wait_ns == 0);
  CHECK(matched.collectives[1].parts[matched.collectives[1].last].rank == 0);
  CHECK(waits_of(trace, matched) == std::vector<std::vector<int64_t>>{{0, 0, 90'000}, {50'000, 0, 60'000}, {0, 0, 0}});
}

TEST_CASE("groups match by their names, in the order of each") {
  // Ranks 0 and 1 have group "a"; 1 and 2 have "b", whose kernels come in between.
  const Trace trace =
      sample::trace({ranked(0, 3).kernel("nccl", 9, 10, 30, args("a")).kernel("nccl", 9, 50, 10, args("a")),
                     ranked(1, 3)
                         .kernel("nccl", 9, 20, 20, args("a"))
                         .kernel("nccl", 8, 21, 50, args("b", 2, 16))
                         .kernel("nccl", 9, 55, 5, args("a")),
                     ranked(2, 3).kernel("nccl", 8, 61, 10, args("b", 2, 16))});
  const Matched matched = match_collectives(trace);
  CHECK(matched.mistakes.empty());
  REQUIRE(matched.collectives.size() == 3);
  CHECK(matched.collectives[0].group == "a");
  CHECK(matched.collectives[0].transfer_ns == 20'000);
  CHECK(matched.collectives[0].bytes == 16);
  CHECK(matched.collectives[1].group == "a");
  CHECK(matched.collectives[1].index == 1);
  CHECK(matched.collectives[2].group == "b");
  CHECK(matched.collectives[2].bytes == 32);
  CHECK(matched.collectives[2].parts[0].wait_ns == 40'000);
}

TEST_CASE("an operator says of the kernel that it launched which group it is of") {
  KinetoText text = ranked(0, 2);
  text.event("cpu_op", "record_param_comms", 100, "1", "1", "30", R"("External id": 5, )" + args("dp"));
  text.event("cuda_runtime", "cudaLaunchKernel", 100, "1", "5", "1", R"("correlation": 900, "External id": 5)");
  text.event("kernel", "ncclDevKernel", 0, "9", "10", "20", R"("correlation": 900, "stream": 9)");
  const Trace trace = sample::trace({text});
  const Matched matched = match_collectives(trace);
  REQUIRE(matched.collectives.size() == 1);
  CHECK(matched.collectives[0].group == "dp");
  CHECK(matched.collectives[0].name == "allreduce");
  CHECK(matched.collectives[0].transfer_ns == 20'000);  // of one rank of two: as it was
  CHECK(matched.notes.empty());
  CHECK(matched.absent == "group 'dp' has 2 ranks, of which 1 is here");
  CHECK(absent_text(matched) == matched.absent + ": what a collective took holds the wait for absent ranks");
}

TEST_CASE("a named group whose size nobody says has the ranks that are here, one without a name all of the run") {
  const struct {
    const char* arguments;
    int64_t ranks;
    const char* absent;
  } rows[] = {{R"("Collective name": "allreduce", "Process Group Name": "dp")", 2, ""},
              {R"("Collective name": "allreduce", "Process Group Name": "dp", "Group size": 3)", 3,
               "group 'dp' has 3 ranks, of which 2 are here"},
              {"", 4, "stream of communication 1 has 4 ranks, of which 2 are here"}};
  for (const auto& row : rows) {
    const Trace trace = sample::trace(
        {ranked(0, 4).kernel("nccl", 9, 10, 30, row.arguments), ranked(1, 4).kernel("nccl", 9, 20, 20, row.arguments)});
    const Matched matched = match_collectives(trace);
    REQUIRE(matched.collectives.size() == 1);
    CHECK(ranks_of(trace, matched.collectives[0]) == row.ranks);
    CHECK(matched.absent == row.absent);
  }
}

TEST_CASE("kernels that do not match are told and left out") {
  const Trace counts = sample::trace(
      {ranked(0, 3).kernel("nccl", 9, 10, 30).kernel("nccl", 9, 50, 10), ranked(1, 3).kernel("nccl", 9, 20, 20)});
  CHECK(match_collectives(counts).collectives.empty());
  CHECK(match_collectives(counts).mistakes ==
        std::vector<std::string>{"the ranks have different numbers of kernels of stream of communication 1: 2, 1"});
  const Trace names = sample::trace({ranked(0, 3).kernel("ncclA", 9, 10, 30), ranked(1, 3).kernel("ncclB", 9, 20, 20)});
  CHECK(
      match_collectives(names).mistakes ==
      std::vector<std::string>{"kernel 1 of stream of communication 1 is 'ncclA' on one rank and 'ncclB' on another"});
}

TEST_CASE("collectives are ordered by the end of their last rank") {
  const Trace trace =
      sample::trace({ranked(0, 2).kernel("nccl", 9, 10, 90, args("a")).kernel("nccl", 8, 12, 68, args("b")),
                     ranked(1, 2).kernel("nccl", 9, 20, 40, args("a")).kernel("nccl", 8, 22, 58, args("b"))});
  const Matched matched = match_collectives(trace);
  REQUIRE(matched.collectives.size() == 2);
  CHECK(matched.collectives[0].group == "b");
  CHECK(matched.collectives[1].end_ns == 100'000);
}
