#include "planner/tables/split.h"

#include <cmath>

namespace planner::tables {
namespace {

using operator_models::Lookup;

/// A part is at least as wide as one memory access: narrower rows cost the same.
constexpr double kLeastRowBytes = 128;

/// Seconds of an operator behind its launch: a rank's tables share one kernel (FBGEMM's batched lookup).
double traffic_seconds(const operator_models::Operator& op, const Site& site) {
  operator_models::ModelChoice models = site.models;
  models["lookup"] = "reuse";
  const operator_models::Cost cost = operator_models::cost(op, site.device, models);
  return (cost.seconds - cost.launch).value;
}

Accesses batch_accesses(const Table& t, double batch) {
  const double rows = static_cast<double>(t.rows), lookups = batch * t.pooling;
  return t.reuse ? accesses_of(*t.reuse, rows, lookups) : even_accesses(rows, lookups);
}

/// Lookups of a part of a table: its share of the rows, its width, and the samples that it sums for.
struct LookupPart {
  double row_share = 1, width = 0, samples = 0;
};

Load lookups_of(const Accesses& accesses, const LookupPart& part, const Site& site) {
  Lookup op{.rows = static_cast<int64_t>(std::ceil(accesses.lookups() * part.row_share)),
            .width = static_cast<int64_t>(std::ceil(part.width)),
            .bytes_per_element = site.table_bytes,
            .distinct = accesses.distinct() * part.row_share,
            .bags = part.samples};
  Load load;
  if (op.rows == 0) return load;
  load.forward_seconds = traffic_seconds(op, site);
  op.backward = true;
  load.backward_seconds = traffic_seconds(op, site);
  return load;
}

Option cut(const Table& t, const Site& site, Split split, int64_t ways, const LookupPart& part) {
  Option o{.split = split, .ways = ways, .part = lookups_of(batch_accesses(t, site.batch), part, site)};
  o.part.memory_bytes = std::ceil(static_cast<double>(t.rows) * part.row_share) * part.width * site.table_bytes;
  o.part.sent_bytes = site.batch * part.width * site.exchange_bytes;
  return o;
}

Option whole(const Table& t, const Site& site, int64_t) {
  return cut(t, site, Split::whole, 1, {1, static_cast<double>(t.dim), site.batch});
}

// Each part sums, for every sample, over its own rows: as many sums leave it as leave a whole table.
Option by_rows(const Table& t, const Site& site, int64_t ways) {
  return cut(t, site, Split::rows, ways, {1 / static_cast<double>(ways), static_cast<double>(t.dim), site.batch});
}

// Every part looks up all rows, a part of their width.
Option by_columns(const Table& t, const Site& site, int64_t ways) {
  return cut(t, site, Split::columns, ways, {1, static_cast<double>(t.dim / ways), site.batch});
}

// A rank looks up for its own samples in its own copy. The gradient is dense, as a data-parallel framework has it: it
// is reduced, and a pass reads it and the copy, writes the copy and clears it.
Option replicas(const Table& t, const Site& site, int64_t ways) {
  const double n = static_cast<double>(ways), samples = site.batch / n, elements = static_cast<double>(t.rows * t.dim);
  const Accesses own = t.reuse ? part_of(batch_accesses(t, site.batch), 1 / n) : batch_accesses(t, samples);
  Option o{
      .split = Split::replicas, .ways = ways, .part = lookups_of(own, {1, static_cast<double>(t.dim), samples}, site)};
  o.part.backward_seconds += traffic_seconds(operator_models::Update{.algorithm = "sgd",
                                                                     .parameters = elements,
                                                                     .read_bytes = 2 * site.table_bytes,
                                                                     .written_bytes = 2 * site.table_bytes},
                                             site);
  o.part.memory_bytes = 2 * elements * site.table_bytes;
  o.reduced_bytes = elements * site.table_bytes;
  return o;
}

constexpr SplitRow kSplits[] = {
    {Split::whole, "all rows on one rank, which sends each sample's sum",
     [](const Table&, const Site&, int64_t ways) { return ways == 1; }, whole},
    {Split::rows, "a share of the rows on each of some ranks, which all send a partial sum of each sample",
     [](const Table& t, const Site&, int64_t ways) { return ways > 1 && ways <= t.rows; }, by_rows},
    {Split::columns, "all rows, a share of their width, on each of some ranks",
     [](const Table& t, const Site& site, int64_t ways) {
       return ways > 1 && t.dim % ways == 0 && static_cast<double>(t.dim / ways) * site.table_bytes >= kLeastRowBytes;
     },
     by_columns},
    {Split::replicas, "a copy on each rank for its own samples; an all-reduce of the whole gradient",
     [](const Table&, const Site& site, int64_t ways) { return ways > 1 && ways == site.group.ranks; }, replicas},
};

}  // namespace

Load& Load::operator+=(const Load& o) {
  forward_seconds += o.forward_seconds;
  backward_seconds += o.backward_seconds;
  sent_bytes += o.sent_bytes;
  memory_bytes += o.memory_bytes;
  return *this;
}

Load& Load::operator-=(const Load& o) {
  forward_seconds -= o.forward_seconds;
  backward_seconds -= o.backward_seconds;
  sent_bytes -= o.sent_bytes;
  memory_bytes -= o.memory_bytes;
  return *this;
}

std::span<const SplitRow> splits() { return kSplits; }

std::vector<Option> options_of(const Table& table, const Site& site) {
  std::vector<int64_t> ways;
  for (int64_t n = 1; n < site.group.ranks; n *= 2) ways.push_back(n);
  ways.push_back(site.group.ranks);
  std::vector<Option> options;
  for (const SplitRow& row : kSplits)
    for (int64_t n : ways)
      if (row.allows(table, site, n)) options.push_back(row.option(table, site, n));
  return options;
}

double table_bytes(const Table& table, const Site& site) {
  return static_cast<double>(table.rows) * static_cast<double>(table.dim) * site.table_bytes;
}

}  // namespace planner::tables
