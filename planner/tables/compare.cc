#include "planner/tables/compare.h"

#include <fmt/format.h>

#include <algorithm>

#include "dsl/unit_sizes.h"

namespace planner::tables {
namespace {

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
