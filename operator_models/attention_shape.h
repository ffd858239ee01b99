// Shared by the models of fused attention: the work of one kernel.
#pragma once

#include "operator_models/models.h"

namespace operator_models {

/// Five GEMMs against two: backward computes the scores again (Dao, FlashAttention-2, arXiv:2307.08691, 3.1.2).
inline constexpr double kBackwardGemms = 5.0 / 2;

/// Bytes of an element of Q, K and V; there are no kernels of four bits.
double element_bytes(Precision p);
/// Mean width of a query, key and value head.
double head_width(const Attention& op);
/// Half the head is twice the softmax work per FLOP: halvings below 128, three at most.
double head_halvings(double width);
/// (query, key) pairs of one head: all, or under a causal mask (the last query sees all keys), of each query at most
/// `most` keys (0: all that it sees).
double seen_pairs(int64_t queries, int64_t keys, bool causal, int64_t most);
/// (query, key) pairs of one head that a kernel with `block` queries to a workgroup computes.
double executed_pairs(const Attention& op, double block);
bool is_empty(const Attention& op);

/// FLOPs, traffic, workgroups, provenance and error of `row`, without a time. REQUIRES: not is_empty(op).
/// Forward: Q, K, V -> O. Backward: Q, K, V, O, dO -> dQ, dK, dV.
Cost attention_work(const Attention& op, const AttentionCalibration& row, double pairs, const Device& device,
                    const Share& share);

/// launch + the slower of both; also sets the bound.
void set_time(Cost& c, double compute, double memory, const Device& device);

}  // namespace operator_models
