// Traces in JSON: which kind a text is says the list that it has, in whichever order its keys stand.
#pragma once

#include "planner/trace/execution.h"
#include "planner/trace/trace.h"
#include "planner/unpack/byte_reader.h"

namespace planner::trace {

enum class JsonKind : uint8_t {
  none,     // no list of these; what is wrong stands in `rank`
  events,   // "traceEvents", or a list alone: Kineto, BytePS
  pytorch,  // "nodes": execution traces of PyTorch
  chakra,   // "workload_graph": of Chakra
};

/// What a text was: `rank` has the events, `workers` those of which a parameter server tells, `execution` the nodes.
struct JsonTrace {
  JsonKind kind = JsonKind::none;
  RankTrace rank;
  std::vector<RankTrace> workers;
  Execution execution;

  FileReading& reading() {
    return kind == JsonKind::pytorch || kind == JsonKind::chakra ? static_cast<FileReading&>(execution) : rank;
  }
};

/// Reads a text in one walk over its keys. With `skip_broken` events and nodes that are broken are left out and
/// counted, and what follows a text that is no JSON is, as is the event in which the text of a parameter server ends;
/// without, `reading().mistakes` has the first mistake, and
/// reading stops there.
JsonTrace read_json(unpack::ByteReader& bytes, bool skip_broken);

}  // namespace planner::trace
