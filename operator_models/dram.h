// Bytes that operators move between a device and its memory, by who needs them: what a last-level cache and a
// collective's own steps make of the sizes of the operands.
//
//     reduce-scatter  by a ring of kernels, c = bytes / N: each step reads the own chunk and the one that came, the
//     first
//                     its own alone; N chunks are written, the last sum among them: (2 N - 1) c and N c
//     all-gather      (N - 1) c each way; an all-reduce is both, an exchange sends and stores (N - 1) c
//     written by a    hardware forwards what the GEMM stores, and the memory adds: (N - 2) c are read by DMA, (N - 1) c
//     GEMM            updated; the GEMM's first chunk is stored elsewhere (Pati 2024, sections 8.3.3 and 8.5.2)
//     GEMM            both operands once; the smaller one again for each further stage, as far as it, the stage's part
//                     of the other and what the stage stores exceed the last-level cache
// Sections 8.5.2 and figure 8.16 print what a ring of 8 and of 16 makes of it.
#pragma once

#include "operator_models/cost.h"

namespace operator_models {

struct DramBytes {
  double read = 0, written = 0;
};

/// Of one rank, of one call. `stored_by_gemm`: the GEMM that writes what it moves stores it at its destination.
DramBytes dram_of(const Collective& op, bool stored_by_gemm = false);

/// Of one call. `to_ranks`: those that hardware forwards its stores to, which no cache holds then (section 8.3.3);
/// 1: it stores into its own memory.
DramBytes dram_of(const Gemm& op, const Device& device, double to_ranks = 1);

}  // namespace operator_models
