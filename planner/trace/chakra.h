// Execution traces of Chakra (MLCommons), as protobuf: a sequence of messages, each preceded by its length as a varint;
// first the global metadata, then the nodes. Unused fields are skipped. Tensors are texts in the form of Python's lists
// (append_tensors).
#pragma once

#include <optional>

#include "planner/trace/execution.h"
#include "planner/unpack/byte_reader.h"

namespace planner::trace {

/// Reads a trace. Returns a mistake, if any: a message that is cut off or broken, a file without messages.
std::optional<Mistake> read_chakra(unpack::ByteReader& bytes, Execution& execution);

}  // namespace planner::trace
