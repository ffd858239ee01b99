// What may be done with one table: whole on a rank, cut by rows or by columns, or a copy on each rank.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "planner/tables/site.h"
#include "planner/tables/table_file.h"

namespace planner::tables {

enum class Split { whole, rows, columns, replicas };
inline constexpr std::array kSplitNames{"whole", "rows", "columns", "replicas"};
inline const char* name(Split s) { return kSplitNames[static_cast<size_t>(s)]; }

/// A rank's part of a table, or of several: loads add up.
struct Load {
  double forward_seconds = 0, backward_seconds = 0;  // lookups, without the launch of their kernel
  double sent_bytes = 0;                             // into the all-to-all, including bytes that stay on the rank
  double memory_bytes = 0;
  Load& operator+=(const Load& o);
  Load& operator-=(const Load& o);
};

/// One of the ways to have a table: each of `ways` ranks has a part like the others.
struct Option {
  Split split = Split::whole;
  int64_t ways = 1;
  Load part;
  double reduced_bytes = 0;  // gradients that an all-reduce sums
};

/// The table of the splits.
struct SplitRow {
  Split split;
  const char* summary;  // one line: memory, lookups and messages of a part
  /// Whether a table may be split into `ways` parts.
  bool (*allows)(const Table& table, const Site& site, int64_t ways);
  Option (*option)(const Table& table, const Site& site, int64_t ways);
};
std::span<const SplitRow> splits();

/// The ways of a table, whole first; parts by powers of two and by the number of ranks.
std::vector<Option> options_of(const Table& table, const Site& site);
/// Bytes of a whole table.
double table_bytes(const Table& table, const Site& site);

}  // namespace planner::tables
