// What libraries and profilers call a collective.
#include "planner/trace/collective_kinds.h"

#include <doctest/doctest.h>

#include <string>

using namespace planner::trace;

TEST_CASE("the kind of a collective by any of its names") {
  const struct {
    const char *name, *kind;
  } rows[] = {
      {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)", "all-reduce"},
      {"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "reduce-scatter"},
      {"ncclDevKernel_AllGather_RING_LL", "all-gather"},
      {"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t", "send-recv"},
      {"ncclKernel_Broadcast_RING_LL_Sum_int8_t", "broadcast"},
      {"ncclDevKernel_Reduce_Sum_f32_RING_LL", "reduce"},
      {"void vllm::cross_device_reduce_1stage<__half, 2>", "all-reduce"},
      {"multimem_all_reduce_kernel", "all-reduce"},
      {"nccl:all_to_all", "all-to-all"},
      {"c10d::alltoall_base_", "all-to-all"},
      {"nccl:recv 0<-1", "send-recv"},
      {"_allgather_base", "all-gather"},
      {"_reduce_scatter_base", "reduce-scatter"},
      {"allreduce_coalesced", "all-reduce"},
      {"barrier", "barrier"},
      {"gather", "gather"},
      {"scatter", "scatter"},
      {"rcclGenericKernel", ""},
      {"", ""},
  };
  for (const auto& row : rows) CHECK_MESSAGE(std::string(name_of(kind_of_collective(row.name))) == row.kind, row.name);
}
