// Use counts of the rows of an embedding table in one batch: reuse factors (Lin et al. 2024, section III-E, figure 6),
// and their effect on a lookup.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace planner::tables {

/// Bins of uses: [0, 1), [1, 2), [2, 4), [4, 8) ... [2^15, infinity).
inline constexpr size_t kReuseBins = 17;

/// Shares of a table's rows by how often one batch uses them; they sum to 1.
using ReuseFactors = std::array<double, kReuseBins>;

/// Uses of a row in bin `bin`: at least `least`, at most `most` (of the last bin: infinity).
struct ReuseRange {
  double least = 0, most = 0;
};
ReuseRange uses_of(size_t bin);

/// Rows with about the same number of uses.
struct RowGroup {
  double rows = 0, lookups = 0;
};
/// The rows of a table that a batch uses.
struct Accesses {
  std::vector<RowGroup> groups;
  double distinct() const;
  double lookups() const;
};

/// From reuse factors: the rows of each bin are at the same relative place between the least and the most of the bin,
/// such that all lookups sum to those of the batch (an assumption of this program; the factors do not give it). If no
/// place does this, the nearest end is scaled: see `lookups_held`.
Accesses accesses_of(const ReuseFactors& factors, double rows, double lookups);
/// The fewest and the most lookups that a batch with these factors may have.
ReuseRange lookups_held(const ReuseFactors& factors, double rows);
/// Indices drawn evenly: E (1 - (1 - 1/E)^N) distinct rows of E in N lookups.
Accesses even_accesses(double rows, double lookups);
/// A part of the batch's samples: a row that is used c times is used at least once with probability 1 - (1 - part)^c,
/// since samples are drawn independently.
Accesses part_of(const Accesses& whole, double part);

}  // namespace planner::tables
