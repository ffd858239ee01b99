// Finds the layout rule that a candidate breaks first: each rule is evaluated once for all candidates that are alike in
// what it reads.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/scenario/scenario.h"
#include "planner/search/candidate.h"
#include "planner/search/memo.h"

namespace planner {

/// Returns the open items that a layout rule reads.
std::vector<size_t> items_read(const OpenScenario& open, size_t rule);
/// Returns whether no combination of their values breaks it: it decides nothing. False where they are many.
bool never_broken(const OpenScenario& open, size_t rule);

class RuleMemo {
 public:
  /// `order`: the cursor's items by level; `deciding`: by level, the level that determines its value.
  RuleMemo(const OpenScenario& open, const std::vector<size_t>& order, const std::vector<size_t>& deciding);

  /// Returns what `first_broken_layout_rule` does.
  size_t first_broken(const Scenario& s, const LevelWords& words);
  /// Sets `broken` to the numbers of all broken rules, in order.
  void all_broken(const Scenario& s, const LevelWords& words, std::vector<size_t>& broken);
  /// As of Evaluator::also_broken.
  size_t also_broken(size_t rule, size_t level, Candidate& candidate, const LevelWords& words);
  size_t bytes() const;
  void clear();

 private:
  enum class RuleVerdict : uint8_t { unknown, holds, broken };
  struct MemoRule {
    size_t number = 0;
    std::vector<size_t> levels;  // that it reads
    // The deepest of them, if it is a choice of known values: one entry holds the rule's verdict on each.
    size_t level = 0, item = 0, values = 0;
    PartMemo<std::vector<RuleVerdict>> verdicts{0};
    bool has_by_value(size_t of) const { return values > 0 && level == of; }
  };
  void read(MemoRule& rule, const OpenScenario& open, const std::vector<size_t>& order,
            const std::vector<size_t>& deciding);
  std::vector<RuleVerdict>& verdicts(MemoRule& rule, const LevelWords& words);
  bool breaks(MemoRule& rule, const Scenario& s, const LevelWords& words);
  static bool breaks_with(const MemoRule& rule, std::vector<RuleVerdict>& verdicts, size_t value, size_t now,
                          Candidate& candidate);
  void leave_out_what_holds(const Scenario& s, const LevelWords& words);

  std::vector<MemoRule> rules_;               // in the order of evaluation
  std::vector<std::vector<size_t>> reading_;  // by level: places of the rules that read it or one behind it
  bool asked_ = false;
  size_t held_ = 0;    // leading rules that held when the first broken one was last looked up
  uint64_t seen_ = 0;  // the change of the words at that time
};

}  // namespace planner
