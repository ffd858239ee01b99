// Bytes that operators move between a device and its memory: derived from the sizes of operands by a last-level cache
// and a collective's own steps.
//
//     reduce-scatter  by a ring of kernels, c = bytes / N: each step reads the own chunk and the one that came,
//                     the first its own alone; N chunks are written, the last sum among them: (2 N - 1) c and N c
//                     Straight to the owner by kernels: (N - 1) c are sent and N c added up, (N - 1) c arrive: the same
//     all-gather      (N - 1) c each way; an all-reduce is both, an exchange sends and stores (N - 1) c
//     written by a    hardware forwards what the GEMM stores, and the memory adds: (N - 2) c are read by DMA, (N - 1) c
//     GEMM            updated; the GEMM's first chunk is stored elsewhere (Pati 2024, sections 8.3.3 and 8.5.2)
//                     Where the GEMM's stores go straight to their owner, nothing is read, and 1 of its N chunks is
//                     stored at home (section 8.6.1)
//     GEMM            both operands once. Stages of tiles walk along n, as workgroups are scheduled row by row (section
//                     8.3.2.1): the operand along n again for each further row of stages, as far as it, the stage's
//                     part of the other operand and what the stage stores exceed the last-level cache
// Sections 8.5.2 and figure 8.16 print the values for a ring of 8 and of 16.
#pragma once

#include "operator_models/cost.h"

namespace operator_models {

struct DramBytes {
  double read = 0, written = 0;
};

/// How a collective's bytes move: by kernels, or by the stores of the GEMM that writes them, around a ring or straight
/// to their owner.
enum class MovedBy { kernels, ring_of_stores, straight_stores };

/// Of one rank, of one call.
DramBytes dram_of(const Collective& op, MovedBy by = MovedBy::kernels);

/// Where the stores of a GEMM go: among how many ranks hardware forwards them, in which case no cache holds them
/// (section 8.3.3); 1: into its own memory.
struct Forwarded {
  double ranks = 1;
  bool straight = false;
};

/// Of one call.
DramBytes dram_of(const Gemm& op, const Device& device, const Forwarded& to = {});

}  // namespace operator_models
