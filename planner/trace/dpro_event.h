// One event of the merged trace that dPRO's profiler writes (`bps_trace_final.json`), by its names.
//
// Its "pid" gives the owner, its "name" the kind:
//
//     host0.rank1, traces_0.rank1, default     a GPU: FW.x, BW.x, UPDATE_x, I/O, Comm.TENSORS.STAGE
//     worker_0::server_1, server_1::worker_0   a message of BytePS: Comm.TENSOR.PUSH_REQ~>worker_0::server_1::PART
//     server_1_t2                              a thread of a parameter server: Comm.TENSOR.SUM~>...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "planner/trace/kineto_event.h"

namespace planner::trace::dpro {

enum class EventStage : uint8_t {
  compute,       // an operator of the framework
  load,          // of the input: on the host
  send,          // of a chunk to the next rank
  receive,       // of a chunk from the rank before
  copy,          // into the buffer of fused tensors, or out of it
  reduce,        // the all-reduce of fused tensors as a whole
  push_request,  // the gradients on their way to the server
  push_answer,
  pull_request,
  pull_answer,  // the sum on its way back
  left,         // known, and not kept
};

/// Whose an event is.
struct EventOwner {
  std::string machine;  // "host0", "traces_0", "worker_0"
  int64_t gpu = -1;     // of the machine; -1: the event is a message's
  std::string server;   // of a message; "" else
  bool is_server = false;
};
/// Returns whose an event with such a "pid" is; nullopt: dPRO does not write it.
std::optional<EventOwner> owner_of(std::string_view process);

/// The kind of an event.
struct EventName {
  EventStage stage = EventStage::left;
  std::string tensor;  // of communication: "3+7"; "" else
  std::string part;    // of a tensor, where BytePS cuts it; "" else
};
/// Returns the kind of an event. nullopt: its name is unknown.
std::optional<EventName> named(std::string_view name, std::string_view category);

}  // namespace planner::trace::dpro
