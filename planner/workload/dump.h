// The values of the line as text: one operator, weight or kept tensor a line; the same value is the same bytes.
//
//     block layer layer layers=1 input=16777216 input-split=sequence
//       forward
//         0 attention.norm attention-norm residual normalization elements=4194304 read=8388608 written=8388608
//           split=sequence reads=input
//
// Marks and sizes with default values (no split, one call, nothing hidden) are left out. Figures are the shortest
// digits that read back as the same double, in bytes and seconds.
#pragma once

#include <string>

#include "planner/workload/costed_workload.h"

namespace planner {

/// One operator, without its number: "attention.qkv qkv attention gemm 1x3072x2048x1024 bf16 ...".
std::string dump(const WorkOp& op);
std::string dump(const Block& block);
/// Writes the blocks alone.
std::string dump_blocks(const Workload& workload);
/// Writes the blocks; stages and their chunks, with the holdings and the once-a-step work of each; the traffic of a
/// boundary.
std::string dump(const Workload& workload);
/// Writes all of it, each operator with its cost, each block and stage with its seconds.
std::string dump(const CostedWorkload& costed);

}  // namespace planner
