// From the lengths of a data set to those of an epoch's iterations: each batch is padded to its longest sequence
// (Pati 2024, section 3.2.2.1).
#pragma once

#include <cstdint>
#include <vector>

#include "dsl/enum_words.h"

namespace planner::seqpoint {

/// corpus: as they come; sorted: the shortest first; bucketed: batches of neighbours of the sorted ones, in random
/// order; shuffled: in random order.
enum class Order { corpus, sorted, bucketed, shuffled };
inline constexpr auto& kOrderNames = dsl::kEnumWords<Order>;

struct Batching {
  int64_t batch = 1;
  Order order = Order::corpus;
  uint64_t seed = 1;
  int64_t divide = 1;   // units of the data in one of the model's: 160 samples in 10 ms at 16 kHz
  int64_t quantum = 1;  // batches are padded to a multiple of it, in the model's units
};

/// Returns the lengths of the iterations, in order. Samples after the last full batch are not trained on: the batch is
/// the same in all iterations. REQUIRES: at least one batch; lengths, batch, divide and quantum of at least 1.
std::vector<int64_t> batch_lengths(std::vector<int64_t> lengths, const Batching& batching);

/// Returns the share of the tokens of these iterations that fills sequences up to their batch's length.
double padding_share(std::vector<int64_t> lengths, const Batching& batching);

}  // namespace planner::seqpoint
