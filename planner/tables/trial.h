// A placement that changes step by step, and the effect of a change on the step: in constant time for two ranks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "planner/tables/step.h"

namespace planner::tables {

/// The score that a search minimises: first bytes beyond the memory, then the step, then the imbalance of ranks. A step
/// that several ranks limit thus improves one rank after the other.
struct TrialScore {
  double overflow_bytes = 0, seconds = 0, unevenness = 0;
};
bool better(const TrialScore& a, const TrialScore& b);

/// A part of a table moves to another rank, or changes places with a part of another table.
struct PlacementMove {
  size_t table = 0;
  int32_t from = 0, to = 0;
  std::optional<size_t> against = {};  // the table whose part comes from `to` to `from`
};

class PlacementTrial {
 public:
  PlacementTrial(const PlacementProblem& problem, Placement placement);

  const Placement& placement() const { return placement_; }
  const TrialScore& score() const { return score_; }
  int32_t ranks() const { return static_cast<int32_t>(loads_.ranks.size()); }
  /// Tables with a part on the rank.
  const std::vector<size_t>& tables_of(int32_t rank) const { return held_[static_cast<size_t>(rank)]; }
  bool holds(int32_t rank, size_t table) const;
  /// The ranks that hold up the step, or hold too much, each once.
  std::vector<int32_t> critical() const;
  /// The `count` ranks with the least work.
  std::vector<int32_t> idlest(size_t count) const;
  /// REQUIRES of both: `from` has the part, `to` has no part of that table; the reverse for `against`.
  TrialScore after(const PlacementMove& move);
  void apply(const PlacementMove& move);
  /// The table in another of its options, its parts on the ranks that have least to do (and room).
  Placed recast(size_t table, size_t option) const;
  TrialScore after(size_t table, const Placed& placed);
  void apply(size_t table, Placed placed);

 private:
  /// The largest figures of a kind and their ranks: they give the largest figure without any two ranks.
  struct Largest {
    std::array<double, 3> values{};
    std::array<int32_t, 3> ranks{-1, -1, -1};
    void take(double value, int32_t rank);
    double without(int32_t a, int32_t b) const;
  };
  double work_of(const Load& load) const;
  TrialScore score_of(double forward, double backward, double sent_most, double sent, double reduced, double overflow,
                      double squares);
  void refresh();
  void count(size_t table, const Placed& placed, bool there);
  const Load& part(size_t table) const { return problem_->options[table][placement_[table].option].part; }

  const PlacementProblem* problem_;
  Placement placement_;
  Exchange exchange_;
  Loads loads_;
  std::vector<std::vector<size_t>> held_;
  Largest forward_, backward_, sent_most_;
  double sent_ = 0, squares_ = 0, overflow_ = 0, seconds_per_byte_ = 0;
  double reduced_bytes_ = -1, reduced_seconds_ = 0;  // the last that was priced
  TrialScore score_;
};

}  // namespace planner::tables
