#include "planner/search/checkpoint.h"

#include <algorithm>

namespace planner {

Checkpointer::Checkpointer(const Checkpoints* checkpoints, Clock::time_point& due, Meeting& meeting,
                           std::function<std::optional<SearchResult>()> take) {
  if (checkpoints)
    thread_.emplace(
        [this, checkpoints, &due, &meeting, take = std::move(take)] { run(*checkpoints, due, meeting, take); });
}

Checkpointer::~Checkpointer() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ended_.notify_one();
  if (thread_) thread_->join();
}

void Checkpointer::run(const Checkpoints& checkpoints, Clock::time_point& due, Meeting& meeting,
                       const std::function<std::optional<SearchResult>()>& take) {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_until(lock, due, [this] { return over_; })) {
    const Clock::time_point start = Clock::now();
    std::optional<SearchResult> found;
    if (!meeting.call([&] { found = take(); })) return;
    if (found) checkpoints.write(*found);
    // The worst loss is from one state to the end of writing the next: writing is a part of the period.
    const Clock::duration taken = std::min<Clock::duration>(Clock::now() - start, checkpoints.every / 2);
    due = start + checkpoints.every - taken;
  }
}

}  // namespace planner
