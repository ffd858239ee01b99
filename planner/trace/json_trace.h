// Traces in JSON: the kind of a text follows from its list, in any order of its keys.
#pragma once

#include "planner/trace/execution.h"
#include "planner/trace/trace.h"
#include "planner/unpack/byte_reader.h"

namespace planner::trace {

enum class JsonKind : uint8_t {
  none,     // no list of these; the mistake is in `rank`
  events,   // "traceEvents", or a list alone: Kineto, BytePS
  pytorch,  // "nodes": execution traces of PyTorch
  chakra,   // "workload_graph": of Chakra
};

/// The content of a text: `rank` has the events, `workers` those that a parameter server describes, `execution` the
/// nodes.
struct JsonTrace {
  JsonKind kind = JsonKind::none;
  RankTrace rank;
  std::vector<RankTrace> workers;
  Execution execution;

  FileReading& reading() {
    return kind == JsonKind::pytorch || kind == JsonKind::chakra ? static_cast<FileReading&>(execution) : rank;
  }
};

/// Reads a text in one walk over its keys.
/// With `skip_broken`: broken events and nodes are left out and counted. So are text behind the JSON value, and the
/// event in which the text of a parameter server ends.
/// Without it, `reading().mistakes` has the first mistake, and reading stops there.
JsonTrace read_json(unpack::ByteReader& bytes, bool skip_broken);

}  // namespace planner::trace
