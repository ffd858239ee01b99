// Which layout rule a candidate breaks first: each rule is asked once for all candidates that are alike in what it
// reads.
#pragma once

#include <vector>

#include "planner/scenario/scenario.h"
#include "planner/search/memo.h"

namespace planner {

class RuleMemo {
 public:
  /// `deciding`: by level, the level that decides what it has.
  RuleMemo(const OpenScenario& open, const std::vector<size_t>& order, const std::vector<size_t>& deciding);

  /// Marks the levels from this one on as having new values.
  void changed(size_t from);
  /// Returns what `first_broken_layout_rule` does. `words`: by level; equal values, equal words.
  size_t first_broken(const Scenario& s, const KeyWords& words);
  /// Returns the numbers of all rules that are broken, in their order.
  std::vector<size_t> all_broken(const Scenario& s, const KeyWords& words);
  size_t bytes() const;
  void clear();

 private:
  struct Rule {
    size_t number = 0;
    bool varies = false;  // it reads an open field
    Kept<bool> broken{0};
  };
  bool breaks(Rule& rule, const Scenario& s, const KeyWords& words);
  void leave_out_what_holds(const Scenario& s, const KeyWords& words);

  std::vector<Rule> rules_;  // in the order in which they are asked
  bool asked_ = false;
};

}  // namespace planner
