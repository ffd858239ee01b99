#include "planner/seqpoint/batches.h"

#include <algorithm>
#include <random>

namespace planner::seqpoint {
namespace {

/// As std::shuffle, but the same with every standard library.
void shuffle(std::vector<int64_t>& items, uint64_t seed) {
  std::mt19937_64 random(seed);
  for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random() % i]);
}

int64_t in_whole(int64_t length, int64_t part) { return (length + part - 1) / part; }

/// In the order in which they are batched.
void put_in_order(std::vector<int64_t>& lengths, const Batching& b) {
  if (b.order == Order::shuffled) shuffle(lengths, b.seed);
  if (b.order == Order::sorted || b.order == Order::bucketed) std::sort(lengths.begin(), lengths.end());
}

}  // namespace

std::vector<int64_t> batch_lengths(std::vector<int64_t> lengths, const Batching& b) {
  put_in_order(lengths, b);
  std::vector<int64_t> longest;
  for (auto at = lengths.begin(); lengths.end() - at >= b.batch; at += b.batch) {
    const int64_t units = in_whole(*std::max_element(at, at + b.batch), b.divide);
    longest.push_back(in_whole(units, b.quantum) * b.quantum);
  }
  if (b.order == Order::bucketed) shuffle(longest, b.seed);
  return longest;
}

double padding_share(std::vector<int64_t> lengths, const Batching& b) {
  const std::vector<int64_t> longest = batch_lengths(lengths, b);
  put_in_order(lengths, b);
  double padded = 0, own = 0;
  for (const int64_t length : longest) padded += static_cast<double>(length) * static_cast<double>(b.batch);
  for (size_t i = 0; i < longest.size() * static_cast<size_t>(b.batch); ++i)
    own += static_cast<double>(in_whole(lengths[i], b.divide));
  return 1 - own / padded;
}

}  // namespace planner::seqpoint
