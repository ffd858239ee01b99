// A line on the terminal while a search walks: how far it is, how fast, and the best plan so far.
#pragma once

#include <condition_variable>
#include <functional>
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

/// "33.3 %  3 of 9 rows  12 s left". At most 79 bytes.
std::string rows_line(int64_t done, int64_t total, double seconds);

/// "fitting  3 s"; "" in the first second.
std::string work_line(const char* what, double seconds);

/// Draws on a thread of its own during its lifetime, several times a second, over one line; clears it at the end.
class ProgressBar {
 public:
  /// The line after so many seconds; "": there is nothing to show yet.
  using Line = std::function<std::string(double seconds)>;
  static constexpr std::chrono::milliseconds kPeriod{200};

  /// REQUIRES: `err`, and what `line` reads, outlive it, and no other writer uses `err`.
  ProgressBar(std::ostream& err, Line line, std::chrono::milliseconds period = kPeriod);
  /// Of a search of about `total` candidates.
  ProgressBar(std::ostream& err, const planner::WalkProgress& progress, double total, const planner::Goal& goal,
              std::chrono::milliseconds period = kPeriod);
  /// Of a study of many searches.
  ProgressBar(std::ostream& err, const planner::WalkProgress& progress);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

 private:
  void draw(const Line& line, std::chrono::milliseconds period);

  std::ostream& err_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace cli
