// Periodic saving of the results of a search that may be killed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "planner/search/meeting.h"
#include "planner/search/search_result.h"

namespace planner {

/// Saves the value of `take` whenever it is due, on a thread of its own during its lifetime.
class Checkpointer {
 public:
  using Clock = std::chrono::steady_clock;

  /// `checkpoints`: null: it does nothing. `due`: of the next one; outlives it, since a search of two walks has one.
  /// `take` runs while the walkers of the meeting pause; nullopt: all is done, and nothing is saved.
  Checkpointer(const Checkpoints* checkpoints, Clock::time_point& due, Meeting& meeting,
               std::function<std::optional<SearchResult>()> take);
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

 private:
  void run(const Checkpoints& checkpoints, Clock::time_point& due, Meeting& meeting,
           const std::function<std::optional<SearchResult>()>& take);

  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::optional<std::thread> thread_;
};

}  // namespace planner
