#include "planner/tables/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dsl/unit_sizes.h"

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

Outcome outcome_of(const PlacementProblem& problem, std::string name, std::string how, Placement placement) {
  Outcome o{.name = std::move(name), .how = std::move(how), .placement = std::move(placement)};
  o.loads = loads_of(problem, o.placement);
  Exchange exchange(problem.site);
  o.step = step_of(problem, o.loads, exchange);
  o.fits = !(o.loads.overflow(problem.site.memory_bytes) > 0);
  return o;
}

/// Less beyond the memory, then a shorter step.
bool is_better(const Outcome& a, const Outcome& b, double memory_bytes) {
  const double over_a = a.loads.overflow(memory_bytes), over_b = b.loads.overflow(memory_bytes);
  return over_a != over_b ? over_a < over_b : a.step.sum() < b.step.sum();
}

size_t best_of(const std::vector<Outcome>& outcomes, double memory_bytes) {
  size_t best = 0;
  for (size_t i = 1; i < outcomes.size(); ++i)
    if (is_better(outcomes[i], outcomes[best], memory_bytes)) best = i;
  return best;
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

Comparison compare(std::vector<Table> tables, const Site& site, const CompareOptions& options, const Watch& watch) {
  Comparison all{.problem = make_problem(std::move(tables), site), .best = 0};
  for (const Sharder& sharder : sharders())
    all.outcomes.push_back(
        outcome_of(all.problem, sharder.name, sharder.formula, place(sharder, all.problem, options.effort.seed)));
  const auto search = [&](const char* name, const char* how, bool cuts, double from, double to) {
    const Watch part = [&](const SearchProgress& p) {
      if (watch) watch({from + (to - from) * p.share, p.seconds});
    };
    const Placement& start = all.outcomes[best_of(all.outcomes, site.memory_bytes)].placement;
    all.outcomes.push_back(outcome_of(all.problem, name, how, improve(all.problem, start, cuts, options.effort, part)));
  };
  search(kLocalSearch, "moves and swaps of whole tables", false, 0, options.cuts ? 0.5 : 1);
  if (options.cuts) search(kSplitSearch, "the same, and tables cut by rows or columns, or copied", true, 0.5, 1);
  all.best = best_of(all.outcomes, site.memory_bytes);
  return all;
}

void check_room(const std::vector<Table>& tables, const Site& site, dsl::Diagnostics& diagnostics) {
  if (tables.empty()) return;
  double sum = 0;
  for (const Table& table : tables) sum += table_bytes(table, site);
  const auto gib = [](double bytes) { return fmt::format("{:.4g} GiB", bytes / dsl::kGiB); };
  const double all = static_cast<double>(site.group.ranks) * site.memory_bytes;
  if (sum > all) {
    const Table& largest =
        *std::ranges::max_element(tables, {}, [&](const Table& table) { return table_bytes(table, site); });
    diagnostics.error(
        largest.place,
        fmt::format("the tables take {}, and {} ranks have {} for them", gib(sum), site.group.ranks, gib(all)),
        "more ranks, a narrower precision, or fewer rows; this is the largest table");
    return;
  }
  for (const Table& table : tables)
    if (const double bytes = table_bytes(table, site); bytes > site.memory_bytes)
      diagnostics.warning(table.place,
                          fmt::format("table {} takes {}, and a rank has {} for tables: it can only be cut", table.name,
                                      gib(bytes), gib(site.memory_bytes)));
}

}  // namespace planner::tables
