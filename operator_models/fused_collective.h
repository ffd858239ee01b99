// A GEMM and the collective of what it writes, at the same time (Pati 2024, chapter 8): seconds until both are over.
//
//     ideal       max(G, C)                                        section 8.4.3: neither slows the other
//     T3          the GEMM writes N chunks, one a stage; the first goes to the neighbour as it is written; those
//     between
//                 go by DMA once this rank and the one before it have added theirs; the last one stays (figure 8.5):
//                     g = G' / N
//                     sent_1 = max(g, s),  sent_k = max(sent_(k-1), k g) + s  for k = 2 .. N - 1
//                     T = max(N g, sent_(N-1))
//                 All ranks run alike: a chunk arrives from one neighbour when the own chunk has been sent.
//     contention  G' = G + kappa * m; zero where the GEMM's inputs stay in the last-level cache. m: seconds in which
//                 the memory moves the collective's reads and updates during the GEMM. Bursts of the GEMM fill the
//                 queues of the controller (section 8.5.1.2). If the controller serves the GEMM first, m is the seconds
//                 of the GEMM's own reads, at most those above; a read waits at most for the queue (8.3.5)
//     CU split    max(G of the other units, C (1 + (u / k)^3)^(1/3)), k: units of the collective; u: units that move
//                 as much as the links can (section 8.2.2.1; the norm is that of a GEMM's memory and compute time)
//     streamed    the GEMM's own stores go straight to the owner, part by part: an exchange, or a sum where each
//                 rank has a link to each other one (section 8.6.1); c: C without the latency l
//                     T = max(G', c) + min(G', c) / parts + l
#pragma once

#include <cstdint>

#include "operator_models/cost.h"

namespace operator_models {

/// One step of a ring and how many ranks take it.
struct RingSteps {
  int64_t ranks = 1;
  double seconds = 0;  // of one of the ranks - 1 steps
};

/// Seconds of T3's stages. `gemm`: G' above. REQUIRES: two ranks or more.
double staged_seconds(double gemm, const RingSteps& ring);

/// The part-wise output of a GEMM.
struct Stream {
  double seconds = 0, latency = 0;  // of the whole collective alone, and of one part on its way in it
  double parts = 1;
};

/// Seconds of a stream next to its GEMM. REQUIRES: at least one part; latency at most the seconds.
double streamed_seconds(double gemm, const Stream& stream);

/// Factor on the time of a collective with `units` compute units, if `full` units move as much as the links can; 0
/// units: a separate engine moves it. REQUIRES: nothing below zero.
double few_units_factor(double units, double full);

/// Bytes that a fused reduce-scatter moves through the memory of a rank next to its GEMM. Each update counts
/// `op_and_store` times. (N - 2) c are read by DMA, (N - 1) c arrive as updates (section 8.5.2; figure 8.8). If chunks
/// go straight to their owner, there is no read. Of an exchange (N - 1) c arrive, and are stored.
double fused_traffic(const Collective& op, double op_and_store, bool straight);

/// Whether the GEMM's inputs stay in the last-level cache.
bool inputs_fit(const Gemm& op, const hw_profiles::Accelerator& gpu);

/// Seconds of a reduce-scatter in which compute units add up the last chunk (collective.h); 0 if the calibration does
/// not separate them. REQUIRES: two ranks or more.
double last_reduction_seconds(const Collective& op, const Device& device);

}  // namespace operator_models
