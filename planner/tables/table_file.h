// The embedding tables of a recommender, from a file.
//
//     rows,dim,pooling
//     1000000,128,20.5
//
// and where a batch's reuse factors are known, the columns rf0 ... rf16 (all of them, or empty cells in a row); `name`
// may stand beside them.
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

/// Diagnosed, all of them: columns that are missing or unknown, cells that are no such number, reuse factors that are
/// not from 0 to 1, do not sum to 1, or are not all there, no tables.
std::optional<std::vector<Table>> read_tables(const dsl::Source& source, dsl::Diagnostics& diagnostics);

/// Diagnosed: reuse factors that no batch of so many samples has. Those of another batch mean other lookups, so that a
/// tenth beside what they allow passes for their rounding.
void check_reuse(const std::vector<Table>& tables, double batch, dsl::Diagnostics& diagnostics);

}  // namespace planner::tables
