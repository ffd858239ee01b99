// Combinations that a search may decide together: those that differ only in amounts of their blocks.
//
// The free levels come after all other levels of a walk. They are choices that affect a plan only through amounts of
// blocks, and through nothing else that a bound reads (readers.h, acts_through_blocks). The bounds of a subtree are the
// extremes of the blocks of all its combinations, which many subtrees share.
#pragma once

#include <optional>
#include <vector>

#include "dsl/setter.h"
#include "planner/search/candidate.h"
#include "planner/search/memo.h"
#include "planner/search/readers.h"
#include "planner/search/shared.h"

namespace planner {

/// Returns whether a field or a result may differ in a subtree of free levels (bounds.h, Differs).
bool differs_in_subtree(std::string_view path);

class Subtrees {
 public:
  /// REQUIRES: all of them outlive it.
  Subtrees(const OpenScenario& open, SharedParts& shared, const std::vector<size_t>& order);

  size_t free_from() const { return free_from_; }
  /// Returns the range of the blocks of all combinations with the scenario's values up to `level`; deeper levels are
  /// free. `words`: by level; `others`: other inputs of blocks. REQUIRES: level + 1 >= free_from().
  const BlockRange& range(const Scenario& scenario, size_t level, const LevelWords& words,
                          const std::array<uint64_t, 3>& others);
  /// Returns how many of the free levels behind `level` a part reads.
  uint64_t open_levels(PlanPart part, size_t level) const;
  /// Calls `visit` for each combination of the values of the choices behind `level` that a part reads, but for shares
  /// of the host, while the scenario of the candidate has them. REQUIRES: they have their first values, and so they do
  /// afterwards.
  template <class Visit> void each(PlanPart part, size_t level, Candidate& candidate, Visit visit) const {
    std::vector<FreeChoice> open;
    for (const FreeChoice& choice : free_)
      if (choice.level > level && !choice.is_share && (choice.readers & part)) open.push_back(choice);
    for (bool more = true; more;) {
      visit();
      more = false;
      for (size_t i = 0; i < open.size() && !more; ++i) {
        more = ++open[i].at < open[i].values;
        if (!more) open[i].at = 0;
        candidate.put(open[i].item, open[i].at);
      }
    }
  }
  void forget();
  size_t bytes() const;

 private:
  using Key = KeyWords;  // others, words of the levels that blocks read; of those behind `level`: kAny
  void make(BlockRange& range, Key& key, size_t level);
  void make_one(BlockRange& range);
  size_t combinations_behind(size_t level) const;
  std::optional<size_t> next_of_blocks(size_t level) const;
  void put(size_t level, size_t value);

  const OpenScenario& open_;
  SharedParts& shared_;
  const std::vector<size_t> order_;
  size_t free_from_ = 0;
  std::vector<size_t> read_;  // levels that blocks read
  struct FreeChoice {
    size_t level = 0, item = 0, values = 0, at = 0;
    uint32_t readers = 0;
    bool is_share = false;
  };
  std::vector<FreeChoice> free_;                             // by level
  std::vector<PartMemo<std::shared_ptr<BlockRange>>> kept_;  // by level, from the one before the first free one
  Scenario scenario_;                                        // takes the values of a subtree
  std::vector<dsl::Setter> setters_;                         // by level; of free ones
  std::shared_ptr<const Blocks> like_;                       // blocks of the range that is made
};

}  // namespace planner
