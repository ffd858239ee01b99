// Facts about a collective: from its kernel, from the operator that launched it, from the ranges around its launch.
#include "planner/trace/said.h"

#include <doctest/doctest.h>

#include "planner/trace/collectives.h"
#include "tests/planner/trace/kineto_text.h"

using namespace planner::trace;
using sample::KinetoText;

namespace {

constexpr const char* kSendRecv = "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)";

KinetoText& around(KinetoText& text, const char* category, const char* name, int start, int duration,
                   const std::string& arguments = "") {
  return text.event(category, name, 100, "1", std::to_string(start), std::to_string(duration), arguments);
}
std::string inputs(const char* shapes, const char* types) {
  return std::string(R"("Input Dims": )") + shapes + R"(, "Input type": )" + types;
}

/// Of the only kernel of a trace: "all-to-all 24576 -1 of 8 'name' group".
std::string said(const KinetoText& text) {
  const RankTrace rank = sample::rank(text.text()).value();
  const Sayings sayings(rank);
  for (size_t i = 0; i < rank.events.size(); ++i) {
    if (rank.events[i].role != Role::communication) continue;
    const CollectiveFacts s = sayings.of(i);
    return std::string(name_of(s.kind)) + " " + std::to_string(s.bytes_in) + " " + std::to_string(s.bytes_out) +
           " of " + std::to_string(s.group_size) + " '" + s.name + "' " + s.group + s.members;
  }
  return "none";
}

}  // namespace

TEST_CASE("a kernel's own arguments come first") {
  KinetoText text;
  around(text, "user_annotation", "nccl:all_to_all", 5, 20, inputs("[[3]]", R"(["float"])"));
  text.kernel("ncclKernel_AllGather_RING_LL", 9, 10, 5,
              R"("Collective name": "_allgather_base", "In msg nelems": 8, "Out msg nelems": 16, "Group size": 2, )"
              R"("dtype": "BFloat16", "Process Group Name": "dp", "Process Group Ranks": "[0, 4]")");
  CHECK(said(text) == "all-gather 16 32 of 2 '_allgather_base' dp[0, 4]");
}

TEST_CASE("the annotation around the launch says the kind and the bytes") {
  KinetoText text;
  around(text, "cpu_op", "All2All_Pooled_Req", 2, 30, inputs("[[128, 48]]", R"(["float"])"));
  around(text, "cpu_op", "c10d::alltoall_base_", 3, 28, inputs("[[768], [3392], []]", R"(["int", "int", ""])"));
  around(text, "cpu_op", "record_param_comms", 4, 26, inputs("[[3392], []]", R"(["int", "Scalar"])"));
  around(text, "user_annotation", "nccl:all_to_all", 5, 20, inputs("[[3392]]", R"(["int"])"));
  text.kernel(kSendRecv, 9, 10, 5);
  CHECK(said(text) == "all-to-all 13568 -1 of -1 '' ");
}

TEST_CASE("operators around the launch say what they can") {
  KinetoText tensors;  // one tensor each
  around(tensors, "cpu_op", "c10d::broadcast_", 3, 28, inputs("[[], []]", R"(["TensorList", ""])"));
  around(tensors, "cpu_op", "record_param_comms", 4, 26, inputs("[[100], []]", R"(["c10::Half", "Scalar"])"));
  CHECK(said(tensors.kernel("ncclKernel", 9, 10, 5)) == "broadcast 200 -1 of -1 '' ");

  KinetoText lists;  // a list without types
  around(lists, "cpu_op", "record_param_comms", 4, 26, inputs("[[], []]", R"(["TensorList", "Scalar"])"));
  around(lists, "user_annotation", "nccl:all_reduce", 5, 20, inputs("[[394241]]", R"(["float"])"));
  CHECK(said(lists.kernel("ncclKernel_AllReduce_RING_LL_Sum_float", 9, 10, 5)) == "all-reduce 1576964 -1 of -1 '' ");
}

TEST_CASE("where nothing says the bytes they are unknown; the kernel's name may say the kind") {
  KinetoText text;
  around(text, "cpu_op", "aten::mm", 4, 26, inputs("[[3, 4], [4, 5]]", R"(["float", "float"])"));
  CHECK(said(text.kernel("ncclKernel_AllReduce_RING_LL", 9, 10, 5)) == "all-reduce -1 -1 of -1 '' ");
  CHECK(said(KinetoText().kernel("ncclAll(x)", 9, 10, 5)) == " -1 -1 of -1 '' ");
  CHECK(said(KinetoText().event("kernel", "ncclDevKernel_Broadcast", 0, "9", "5", "2")) == "broadcast -1 -1 of -1 '' ");
}

TEST_CASE("arguments without a number of elements leave the bytes to what stands around") {
  KinetoText text;
  around(text, "user_annotation", "nccl:all_reduce", 5, 20, inputs("[[10]]", R"(["double"])"));
  text.kernel("ncclKernel", 9, 10, 5, R"("Collective name": "allreduce", "Group size": 4)");
  CHECK(said(text) == "all-reduce 80 -1 of 4 'allreduce' ");
}

TEST_CASE("of several ranks the most that one hands over counts") {
  const auto rank = [](int number, const char* shape) {
    KinetoText text(R"("distributedInfo": {"rank": )" + std::to_string(number) + R"(, "world_size": 2}, )");
    around(text, "user_annotation", "nccl:all_to_all", 5, 20, inputs(shape, R"(["int"])"));
    return text.kernel(kSendRecv, 9, 10, 5);
  };
  const Matched matched = match_collectives(sample::trace({rank(0, "[[10]]"), rank(1, "[[30]]")}));
  REQUIRE(matched.collectives.size() == 1);
  CHECK(matched.collectives[0].bytes == 120);
  CHECK(matched.collectives[0].kind == CollectiveKind::all_to_all);
}

TEST_CASE("without numbers of operators none of them speaks for a kernel") {
  KinetoText text;
  around(text, "cpu_op", "record_param_comms", 2, 3, R"("Collective name": "allreduce", "Group size": 2)");
  text.kernel("gemm", 7, 10, 5);
  CHECK(said(text) == "none");
}
