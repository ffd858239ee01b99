#include "planner/tables/sharders.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace planner::tables {
namespace {

double rows(const Table& t) { return static_cast<double>(t.rows); }
double dim(const Table& t) { return static_cast<double>(t.dim); }

constexpr Sharder kSharders[] = {
    {"naive", "x.idx % ngpus",
     [](size_t index, int64_t ranks, std::mt19937_64&) { return static_cast<int64_t>(index) % ranks; }, nullptr},
    {"random", "random(ngpus)",
     [](size_t, int64_t ranks, std::mt19937_64& random) {
       return static_cast<int64_t>(random() % static_cast<uint64_t>(ranks));
     },
     nullptr},
    {"size-greedy", "x.E", nullptr, [](const Table& t) { return rows(t); }},
    {"lookup-greedy", "x.L * x.D", nullptr, [](const Table& t) { return t.pooling * dim(t); }},
    {"norm-lookup-greedy", "x.L / x.E", nullptr, [](const Table& t) { return t.pooling / rows(t); }},
    {"size-lookup-greedy", "x.L * x.D * log10(x.E)", nullptr,
     [](const Table& t) { return t.pooling * dim(t) * std::log10(rows(t)); }},
};

/// The least loaded rank with room for the table; without any, the one with most room.
size_t rank_for(const std::vector<double>& loads, const std::vector<double>& memory, double bytes, double most) {
  size_t best = loads.size();
  for (size_t rank = 0; rank < loads.size(); ++rank)
    if (memory[rank] + bytes <= most && (best == loads.size() || loads[rank] < loads[best])) best = rank;
  if (best < loads.size()) return best;
  return static_cast<size_t>(std::ranges::min_element(memory) - memory.begin());
}

Placement place_greedily(const Sharder& sharder, const PlacementProblem& problem) {
  std::vector<size_t> order(problem.tables.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<double> costs;
  for (const Table& table : problem.tables) costs.push_back(sharder.cost(table));
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return costs[a] > costs[b]; });
  const auto ranks = static_cast<size_t>(problem.site.group.ranks);
  std::vector<double> loads(ranks), memory(ranks);
  Placement placement(problem.tables.size());
  for (size_t t : order) {
    const double bytes = problem.options[t].front().part.memory_bytes;
    const size_t rank = rank_for(loads, memory, bytes, problem.site.memory_bytes);
    loads[rank] += costs[t];
    memory[rank] += bytes;
    placement[t].ranks = {static_cast<int32_t>(rank)};
  }
  return placement;
}

}  // namespace

std::span<const Sharder> sharders() { return kSharders; }

Placement place(const Sharder& sharder, const PlacementProblem& problem, uint64_t seed) {
  if (sharder.cost) return place_greedily(sharder, problem);
  std::mt19937_64 random(seed);
  Placement placement;
  for (size_t t = 0; t < problem.tables.size(); ++t)
    placement.push_back({0, {static_cast<int32_t>(sharder.rank(t, problem.site.group.ranks, random))}});
  return placement;
}

}  // namespace planner::tables
