// The result of one candidate: the figures of its plan, or why it has none. In a run of several sequence lengths a
// candidate is all of them (`Space::together`), and its figures are those of the mean step.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "planner/plan/plan.h"
#include "planner/search/candidate.h"
#include "planner/search/evaluator.h"
#include "planner/search/prefixes.h"

namespace planner {

/// Checks a candidate before its figures are computed; true: they are not needed.
struct Early {
  std::function<bool(const MemoryPeaks&)> by_memory;  // of the memory of one length
  std::function<bool(const PlanFigures&)> by_bound;   // figures as they would be with the least step that it may have

  /// The same check for all candidates of a subtree of free levels (prefixes.h), before the check of each. Empty: no
  /// such check.
  std::function<bool(const MemoryPeaks& least)> none_fits;
  std::function<bool(const MemoryPeaks& least, const MemoryPeaks& most)> all_fit;  // and with equal verdicts
  std::function<bool(const PlanFigures&)> all_by_bound;  // true, if all fit: the bound's verdict applies to all
  std::function<bool(const MemoryPeaks&)> one_by_bound;  // of one of them, whose memory this is
};

/// A candidate has the first of the five that applies: it is decided.
struct Costed {
  dsl::Refusal refusal = dsl::Refusal::none;  // the cursor's; `where`: a condition does not hold at the longest length
  const char* rule = nullptr;                 // of the layout, that it breaks
  bool overflows = false;                     // `Early::by_memory` is true, at one of its lengths
  bool bounded = false;                       // `Early::by_bound` is true, or those of its subtree
  std::optional<PlanFigures> figures;

  size_t refused_at = 0;               // as the cursor's, of a refusal
  std::optional<size_t> decided;       // the level whose values, with those above, decide it; nullopt: all do
  const Scenario* scenario = nullptr;  // null where a value is missing
  std::span<const PlanFigures> each;   // by length; those before the refused one

  bool is_decided() const { return refusal != dsl::Refusal::none || rule || overflows || bounded || figures; }
};

class Coster {
 public:
  /// `shared` is that of an evaluator; `order` that of the cursor.
  Coster(const OpenScenario& open, SharedParts& shared, const std::vector<size_t>& order);

  size_t free_from() const { return evaluator_.free_from(); }

  /// Costs the candidate under the cursor. REQUIRES, of both: the cursor is at a combination that it came to with
  /// `next`, the first of its candidate, and for every candidate one of them is called, in order. They leave the cursor
  /// at the candidate's last combination.
  Costed cost(dsl::Cursor& cursor, const Early& early = {});
  void skip(dsl::Cursor& cursor);
  /// Returns how many values follow, at the level whose values with those above decide the last candidate, with which
  /// the rule refuses it too that refused it; 0 where it is not known. REQUIRES: `cost` returned a rule.
  size_t also_refused(const dsl::Cursor& cursor);

 private:
  void leave(const dsl::Cursor& cursor);
  void pass(const dsl::Cursor& cursor);
  const Scenario* enter(const dsl::Cursor& cursor);
  bool overflows(const dsl::Cursor& cursor, const Scenario& s, const Early& early);
  std::optional<Costed> refuse(const dsl::Cursor& cursor, const Scenario& s, const Early& early);
  Costed cost_one(const dsl::Cursor& cursor, const Early& early);
  Costed cost_early(dsl::Cursor& cursor, const Early& early);
  bool meets_conditions(dsl::Cursor& cursor);
  size_t begins_at(const dsl::Cursor& cursor) const;
  std::optional<Costed> cost_subtree(const dsl::Cursor& cursor, const Scenario& s, const Early& early);
  /// Certainties about the memory of a subtree.
  enum class Fits { unknown, none, some, all };
  Fits which_fit(const dsl::Cursor& cursor, const Scenario& s, size_t level, const Early& early);

  size_t broken_ = 0;  // the layout rule that the last candidate breaks
  size_t lengths_;     // 0: all steps are alike
  bool asks_lengths_;  // of a condition
  WalkPrefixes prefixes_;
  Candidate candidate_;
  Evaluator evaluator_;
  std::vector<PlanFigures> each_;
  /// An open share of the host (readers.h) at a free level: which of its values are the smallest and the largest.
  struct HostShare {
    size_t level = 0, item = 0, smallest = 0, largest = 0;
  };
  std::vector<HostShare> shares_;
  template <class ValueOf> void put_shares(size_t level, ValueOf value_of);  // of those behind the level
  bool are_all_slow(const dsl::Cursor& cursor, const Scenario& s, size_t level, const Early& early);
  std::optional<size_t> fits_,
      slow_;  // levels of the subtrees around the candidate that `all_fit`, or are `all_by_bound`
};

}  // namespace planner
