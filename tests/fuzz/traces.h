// What the libFuzzer targets that read traces share.
#pragma once

#include <string_view>

#include "planner/trace/readers.h"
#include "tests/fuzz/fuzz.h"

namespace fuzz {

/// A text in pieces of `bytes` bytes.
inline planner::unpack::Supply pieces(std::string_view text, size_t bytes) {
  return [=]() mutable {
    const std::string_view piece = text.substr(0, bytes);
    text.remove_prefix(piece.size());
    return piece;
  };
}

/// Events of a rank that was read hold together.
inline void check_events(const planner::trace::RankTrace& trace) {
  require(!trace.events.empty() && trace.launched_by.size() == trace.events.size());
  for (size_t i = 0; i < trace.events.size(); ++i) {
    const planner::trace::Event& event = trace.events[i];
    require(event.duration_ns >= 0 && event.name < trace.names.size() && event.lane < trace.lanes.size());
    require(i == 0 || trace.events[i - 1].start_ns <= event.start_ns);
  }
}

}  // namespace fuzz
