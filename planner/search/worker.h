// One thread of a search: it walks the parts that it claims, and judges each candidate, or subtrees at once.
#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "planner/search/bounds.h"
#include "planner/search/collector.h"
#include "planner/search/coster.h"
#include "planner/search/goal.h"
#include "planner/search/meeting.h"
#include "planner/search/parts.h"
#include "planner/search/refusals.h"

namespace planner {

class Worker {
 public:
  /// `base`: tokens per second and GPU on the fewest GPUs, 0 where they are not known yet; `order`: the items by level;
  /// `reached`: the objective of the worst of the best plans that any thread has found. REQUIRES: all of them outlive
  /// it.
  Worker(const OpenScenario& open, const SearchOptions& options, double base, const std::vector<size_t>& order,
         SharedParts& shared, std::atomic<double>& reached);

  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Walks parts until none is left, or it must stop; pauses whenever the meeting is called.
  void run(WalkParts& parts, Meeting& meeting);

  Collector collector;
  std::vector<Begun> left;  // parts that it has claimed and not finished, when it pauses or was stopped

 private:
  static constexpr int64_t kTold = 1024;  // candidates between two notes of the progress

  bool stopped() const { return options_.stop && options_.stop->load(std::memory_order_relaxed); }
  void count(int64_t many);
  void tell();
  const Position& here();
  int64_t pass(int64_t left);
  int64_t pass_alike(std::optional<size_t> decided, size_t more = 0);
  int64_t pass_refused(size_t level);
  int64_t pass_unmet(size_t known);
  int64_t set_aside(size_t level, int64_t times);
  bool is_within_candidate(size_t level) const;
  int64_t pass_valueless();
  bool overflows(const MemoryPeaks& memory);
  bool fits(const MemoryPeaks& memory) const { return is_finite(memory) && !overflow(memory); }
  bool bound(const StepBounds& bounds, const PlanFigures& least);
  Early early();
  int64_t visit();
  void take(const StepBounds::BoundVerdict& verdict, int64_t gpus, int64_t many);
  void note_unmet(size_t unmet, int64_t many = 1);
  int64_t refuse(const Costed& costed);
  void judge(const Scenario& s, const PlanFigures& figures);
  void refuse(const char* rule, const PlanFigures& figures);

  const OpenScenario& open_;
  const SearchOptions& options_;
  double base_;
  GoalCheck goal_;
  StepBounds bounds_, bounds_of_all_;
  dsl::Cursor cursor_;
  Coster coster_;
  Early early_;
  Position here_;
  const char* overflowing_ = nullptr;  // the rule broken by the last memory looked up; null: it fits
  Excess over_;                        // how far it is exceeded
  std::optional<StepBounds::BoundVerdict> verdict_, verdict_of_all_;  // of one candidate; of the subtree around it
  bool uncertain_ = false, uncertain_of_all_ = false;                 // whether a bounded one, or each of a subtree, is
  int64_t aside_ = 0;   // candidates that a condition refuses, among those that were passed over
  int64_t untold_ = 0;  // candidates that the progress does not count yet
};

}  // namespace planner
