// One rank of a merged trace of dPRO.
//
// The file has no calls of the host. One thread replaces them: at the begin of a step it launches all work of the step
// and waits until that is done. Operators of a thread are a stream; overlapping ones are spread over several streams.
// Missing dependencies are inferred from the times: communication, a copy and an update begin after the last preceding
// end on another stream.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/trace/trace.h"

namespace planner::trace::dpro {

struct EventSpan {
  int64_t start_ns = 0, end_ns = 0;
};

/// An operator, or part of an all-reduce.
struct RankPiece {
  EventSpan span;
  std::string name;  // of the operator; of an all-reduce its tensors: "3+7"
  int64_t step = -1;
  int64_t thread = 0;      // the number behind "operator"
  std::string chunk = "";  // of a SEND or a RECV: its direction and its place in the ring
};

/// A PUSH or a PULL.
struct ServerExchange {
  EventSpan span;
  EventKind kind = EventKind::push;
  std::string tensor;
  int64_t key = 0;
};

/// Keys come after all streams.
inline constexpr int64_t kFirstKey = 1'000'000;

/// The work of a rank.
struct DproWork {
  std::vector<RankPiece> operators, loads, copies, chunks, reductions;
  std::vector<ServerExchange> exchanges;
};

/// Makes the rank's trace.
RankTrace rank_of(const DproWork& work);

}  // namespace planner::trace::dpro
