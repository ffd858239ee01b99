// Traces of PyTorch's profiler (Kineto), and other files in the Trace Event Format of Chrome that use its categories:
// those of 2021 ("Operator", "Kernel", streams named "stream 7") up to today's, of CUDA and ROCm.
//
// Kept are the complete events ("ph": "X") of operators, annotations, calls of the runtime, synchronisation and
// devices; Python's frames, counters, flows and instants are not. Times stand in microseconds, with up to three
// decimals.
#pragma once

#include "planner/trace/trace.h"
#include "planner/unpack/byte_reader.h"

namespace planner::trace {

/// Reads a trace. With `skip_broken` events that are broken are left out and counted, and what follows a text that is
/// no JSON is; without, `trace.mistakes` has the first mistake, and reading stops there.
void read_kineto(unpack::ByteReader& bytes, bool skip_broken, RankTrace& trace);

}  // namespace planner::trace
