// The embedding tables of a recommender, from a file.
//
//     rows,dim,pooling
//     1000000,128,20.5
//
// If a batch's reuse factors are known, the columns rf0 ... rf16 follow (all of them, or empty cells in a row). A
// column `name` is allowed, too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dsl/diagnostic.h"
#include "planner/tables/reuse.h"

namespace planner::tables {

struct Table {
  std::string name;                        // of the file, else its number from 0
  int64_t rows = 0, dim = 0;               // E; D, values of a row
  double pooling = 0;                      // L, lookups of one sample, the mean
  std::optional<ReuseFactors> reuse = {};  // of one batch
  dsl::Span place = {};                    // of its rows
};

inline constexpr int64_t kMostTables = 100'000;
inline constexpr int64_t kMostRows = 1'000'000'000'000;  // of a table
inline constexpr int64_t kMostDim = 1'000'000;
inline constexpr double kMostPooling = 1e6;

/// Diagnosed, all of them: missing or unknown columns, invalid cells, reuse factors outside 0 to 1, that do not sum to
/// 1 or are incomplete, no tables.
std::optional<std::vector<Table>> read_tables(const dsl::Source& source, dsl::Diagnostics& diagnostics);

/// Diagnosed: reuse factors that a batch of this many samples cannot have. Those of another batch mean other lookups;
/// an excess of up to a tenth counts as rounding.
void check_reuse(const std::vector<Table>& tables, double batch, dsl::Diagnostics& diagnostics);

}  // namespace planner::tables
