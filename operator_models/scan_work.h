// Work of recurrent mixers in their chunk-wise parallel form, in closed forms.
//
// Each of B sequences of T tokens is cut into chunks of C = min(chunk, T). A head has a state of N keys x P values;
// G groups of heads share keys and queries. FLOP of one token, forward:
//
//     state-space, decay   G 2CN + H (2CP + 4NP)
//     delta, channel-delta H (6CN + 4CP + 6NP + C^2/3)
//     rwkv7                H (10CN + 8CP + 8NP + C^2/3)
//     selective            no matrices; H 9NP on the vector unit
//
// state-space: SSD, arXiv:2405.21060, section 6 and listing 1. decay: retention's chunkwise form, arXiv:2307.08621,
// equation 7. delta: WY form, arXiv:2412.06464, section 3.3; arXiv:2406.06484, equations 7 to 9. channel-delta: KDA,
// arXiv:2510.26692, section 3.2. rwkv7: diagonal plus low rank, arXiv:2503.14456, section 3. selective: Mamba's scan,
// arXiv:2312.00752, section 3.3.2.
// CN: scores of queries and keys against each other; CP: scores times values; NP: into the state and out of it.
// C^2/3: the inverse of a unit triangular matrix, by substitution. Kernels multiply the whole square of a chunk, its
// masked half too. Backward: each product has two gradients, and what forward did not keep is made again: of
// state-space the scores and the states; of the delta rules the scores, both sides of the WY form and the states; the
// inverse has a gradient of two products of C x C.
#pragma once

#include "operator_models/operators.h"

namespace operator_models {

struct ScanWork {
  double matrix_flops = 0, vector_flops = 0;
  double read_bytes = 0, written_bytes = 0;
  double kernels = 1;  // launches
  double chunks = 0;   // of one sequence: one pass over them in order
};
/// Zero work if there are no tokens, heads, keys or values.
ScanWork scan_work(const Scan& op);

}  // namespace operator_models
