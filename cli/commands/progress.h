// A line on the terminal while a search walks: how far it is, how fast, and the best plan so far.
#pragma once

#include <condition_variable>
#include <mutex>
#include <ostream>
#include <string>
#include <thread>

#include "planner/search/search.h"

namespace cli {

/// The goal's value for the minimised `objective`: "step 12.34 s", "mfu 51.2 %".
std::string goal_figure(const planner::Goal& goal, double objective);

/// "12.3 %  1.234 M of 10.00 M candidates  2.100 M/s  4.2 s left  best: step 12.34 s". `here`: candidates of this run,
/// without those of a search that it resumes. At most 79 bytes.
std::string progress_line(double walked, double here, double total, double seconds, const std::string& best);

/// Draws on a thread of its own during its lifetime, several times a second, over one line; clears it at the end.
class ProgressBar {
 public:
  /// REQUIRES: `err` and `progress` outlive it, and no other writer uses `err`. `total`: approximate number of
  /// candidates.
  ProgressBar(std::ostream& err, const planner::WalkProgress& progress, double total, const planner::Goal& goal,
              std::chrono::milliseconds period = std::chrono::milliseconds(200));
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

 private:
  void draw(const planner::WalkProgress& progress, double total, const planner::Goal& goal,
            std::chrono::milliseconds period);

  std::ostream& err_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace cli
