// Execution traces of Chakra (MLCommons), as protobuf: a row of messages, each behind its length as a varint, first the
// metadata of all, then the nodes. Fields that nobody asks for are passed over. Tensors stand in texts as Python prints
// lists (append_tensors).
#pragma once

#include <optional>
#include <string>

#include "planner/trace/execution.h"
#include "planner/unpack/byte_reader.h"

namespace planner::trace {

/// Reads a trace. Returns what is wrong with it, if anything is: a message that is cut off or broken, a file that has
/// none.
std::optional<Mistake> read_chakra(unpack::ByteReader& bytes, Execution& execution);

}  // namespace planner::trace
