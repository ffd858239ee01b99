// The kind of a collective, by its names in libraries and profilers.
#pragma once

#include <cstdint>
#include <string_view>

namespace planner::trace {

enum class CollectiveKind : uint8_t {
  unknown,
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  broadcast,
  reduce,
  gather,
  scatter,
  send_recv,
  barrier,
  push_pull  // with parameter servers: a PUSH of each rank, and the PULL behind it
};
/// "all-reduce"; "" for an unknown kind.
const char* name_of(CollectiveKind kind);

/// Returns the kind by the name of a kernel ("ncclDevKernel_AllReduce_Sum_f32_RING_LL"), of an operator
/// ("c10d::alltoall_base_"), of an annotation ("nccl:all_to_all") or of a kernel's argument ("_allgather_base").
CollectiveKind kind_of_collective(std::string_view name);

}  // namespace planner::trace
