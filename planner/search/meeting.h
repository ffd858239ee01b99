// Lets the threads of a walk pause together, so that their results form one consistent state.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace planner {

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

}  // namespace planner
