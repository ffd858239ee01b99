#include "planner/plan/fullest_node.h"

#include <algorithm>
#include <numeric>

namespace planner {

double fullest_node(std::span<const double> of_stages, int64_t stride, int64_t ranks, int64_t ranks_per_node) {
  const auto stages = static_cast<int64_t>(of_stages.size());
  const auto run_end = [&](int64_t rank) { return (rank / stride + 1) * stride; };  // of ranks of one stage
  double fullest = 0;
  const auto take = [&](int64_t first) {
    const int64_t end = std::min(first + ranks_per_node, ranks);
    double node = 0;
    for (int64_t rank = first; rank < end; rank = run_end(rank))
      node += static_cast<double>(std::min(end, run_end(rank)) - rank) *
              of_stages[static_cast<size_t>(rank / stride % stages)];
    fullest = std::max(fullest, node);
  };
  // From there on the nodes are the same again.
  const int64_t end = std::min(ranks, std::lcm(stride * stages, ranks_per_node));
  for (int64_t first = 0; first < end;) {
    take(first);
    const int64_t next = first + ranks_per_node;
    // Nodes behind this one that are of its stage alone are as full: on to the one in which the next stage begins.
    first = next <= run_end(first) ? std::max(next, run_end(first) / ranks_per_node * ranks_per_node) : next;
  }
  take((ranks - 1) / ranks_per_node * ranks_per_node);  // it may have fewer ranks
  return fullest;
}

}  // namespace planner
