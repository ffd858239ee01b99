#include "planner/tables/step.h"

#include <algorithm>
#include <bit>

namespace planner::tables {

PlacementProblem make_problem(std::vector<Table> tables, const Site& site) {
  PlacementProblem problem{.tables = std::move(tables), .site = site, .launch_seconds = 0};
  for (const Table& table : problem.tables) problem.options.push_back(options_of(table, site));
  const operator_models::Lookup one{.rows = 1, .width = 1};
  problem.launch_seconds = operator_models::cost(one, site.device, {{"lookup", "reuse"}}).launch.value;
  return problem;
}

double Exchange::seconds(double bytes) {
  const uint64_t bits = std::bit_cast<uint64_t>(bytes) * 0x9e3779b97f4a7c15U;
  ExchangeEntry& entry = entries_[bits >> 54U];
  if (entry.bytes != bytes)
    entry = {bytes, collective_seconds(*site_, operator_models::CollectiveKind::all_to_all, bytes)};
  return entry.seconds;
}

double Loads::sent() const {
  double sum = 0;
  for (const Load& load : ranks) sum += load.sent_bytes;
  return sum;
}

double Loads::message() const {
  double most = sent() / static_cast<double>(ranks.size());
  for (const Load& load : ranks) most = std::max(most, load.sent_bytes);
  return most;
}

double Loads::overflow(double memory_bytes) const {
  double sum = 0;
  for (const Load& load : ranks) sum += std::max(0.0, load.memory_bytes - memory_bytes);
  return sum;
}

Loads loads_of(const PlacementProblem& problem, const Placement& placement) {
  Loads loads{.ranks = std::vector<Load>(static_cast<size_t>(problem.site.group.ranks)), .reduced_bytes = 0};
  for (size_t t = 0; t < placement.size(); ++t) {
    const Option& option = problem.options[t][placement[t].option];
    for (int32_t rank : placement[t].ranks) loads.ranks[static_cast<size_t>(rank)] += option.part;
    loads.reduced_bytes += option.reduced_bytes;
  }
  return loads;
}

TableStepParts step_of(const PlacementProblem& problem, const Loads& loads, Exchange& exchange) {
  TableStepParts parts{.dense = problem.site.dense_seconds};
  for (const Load& load : loads.ranks) {
    parts.forward = std::max(parts.forward, load.forward_seconds);
    parts.backward = std::max(parts.backward, load.backward_seconds);
  }
  if (parts.forward > 0) parts.forward += problem.launch_seconds;
  if (parts.backward > 0) parts.backward += problem.launch_seconds;
  parts.exchange = parts.exchange_gradient = exchange.seconds(loads.message());
  parts.reduce = collective_seconds(problem.site, operator_models::CollectiveKind::all_reduce, loads.reduced_bytes);
  return parts;
}

}  // namespace planner::tables
