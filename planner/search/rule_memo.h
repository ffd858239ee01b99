// Which layout rule a candidate breaks first: each rule is asked once for all candidates that are alike in what it
// reads.
#pragma once

#include <vector>

#include "planner/scenario/scenario.h"
#include "planner/search/memo.h"

namespace planner {

/// Has the members of a part that is kept (memo.h).
class RuleMemo {
 public:
  /// `order`: the cursor's items by level.
  RuleMemo(const OpenScenario& open, const std::vector<size_t>& order);

  /// A rule may read the level. REQUIRES: said of every such level, in order, before anything is asked.
  void reads(size_t level);
  void changed(size_t from);
  /// Returns what `first_broken_layout_rule` does. `words`: by level; equal values, equal words.
  size_t first_broken(const Scenario& s, const KeyWords& words);
  /// Makes `broken` the numbers of all rules that are broken, in their order.
  void all_broken(const Scenario& s, const KeyWords& words, std::vector<size_t>& broken);
  size_t bytes() const;
  void clear();

 private:
  struct Rule {
    size_t number = 0;
    bool varies = false;  // it reads a level
    Kept<bool> broken{0};
  };
  bool breaks(Rule& rule, const Scenario& s, const KeyWords& words);
  bool ask(Rule& rule, const Scenario& s, const KeyWords& words);
  void leave_out_what_holds(const Scenario& s, const KeyWords& words);

  const OpenScenario& open_;
  const std::vector<size_t> order_;
  std::vector<Rule> rules_;  // in the order in which they are asked
  bool asked_ = false;
};

}  // namespace planner
