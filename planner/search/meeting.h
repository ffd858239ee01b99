// Lets the threads of a walk pause together, so that their results form one consistent state.
//
// Work side by side on several threads.
//
// Periodic saving of the results of a search that may be killed.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "planner/search/search_result.h"

namespace planner {

/// Calls work(0), ..., work(count - 1) concurrently, and waits for all of them. If the system has no more threads, the
/// last calls are left out: the others must share the work. An exception of a call is rethrown here.
void run_beside(size_t count, const std::function<void(size_t)>& work);

class Meeting {
 public:
  /// One thread's part in it, from its first step to its last. A thread that an exception ends leaves no state that
  /// anybody may look at: nothing is taken any more.
  class Walker {
   public:
    explicit Walker(Meeting& meeting);
    ~Walker();
    Walker(const Walker&) = delete;
    Walker& operator=(const Walker&) = delete;
    /// Waits until the work of the meeting is done. REQUIRES: `called`.
    void stand() const;

   private:
    Meeting& meeting_;
    int exceptions_;
  };

  /// Whether a walker should `stand`. Costs nothing.
  bool called() const { return called_.load(std::memory_order_relaxed); }
  /// From a thread that does not walk: runs `take` while all walkers pause. False: it was not run, and never will be.
  bool call(const std::function<void()>& take);

 private:
  std::mutex mutex_;
  std::condition_variable all_stand_, goes_on_;
  std::atomic<bool> called_{false};
  size_t walking_ = 0, standing_ = 0, calls_ = 0;
  bool spoiled_ = false;
};

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
