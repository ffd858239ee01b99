// When a search that goes round and round is over (dPRO, Hu et al. 2022, section 7.4: the step changes little over 5
// iterations).
#pragma once

#include <cstddef>
#include <deque>

namespace planner::tuning {

class LastRounds {
 public:
  explicit LastRounds(double step_seconds) : steps_{step_seconds} {}

  /// Takes the best step after one more round. Returns whether five rounds together have gained less than 0.1 %.
  bool are_enough(double step_seconds) {
    steps_.push_back(step_seconds);
    if (steps_.size() <= kRounds) return false;
    if (steps_.front() - steps_.back() < kLeastGain * steps_.front()) return true;
    steps_.pop_front();
    return false;
  }

  static constexpr double kLeastGain = 1e-3;  // share of the step

 private:
  static constexpr size_t kRounds = 5;

  std::deque<double> steps_;
};

}  // namespace planner::tuning
