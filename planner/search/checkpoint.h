// What a search that may be killed has found, kept now and then.
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

/// Keeps what `take` returns whenever that is due, on a thread of its own from its making to its end.
class Checkpointer {
 public:
  using Clock = std::chrono::steady_clock;

  /// `checkpoints`: null: it does nothing. `due`: of the next one; outlives it, as a search of two walks has one.
  /// `take` runs while the walkers of the meeting stand still; nothing: all is done, and nothing is kept.
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
