#include "planner/search/meeting.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <vector>

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

void run_beside(size_t count, const std::function<void(size_t)>& work) {
  std::vector<std::exception_ptr> thrown(count);
  const auto run = [&](size_t i) {
    try {
      work(i);
    } catch (...) {
      thrown[i] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(count);
  try {
    for (size_t i = 1; i < count; ++i) threads.emplace_back(run, i);
  } catch (const std::system_error&) {
    // No more threads: the first call below still runs, and those that have begun.
  }
  run(0);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& exception : thrown)
    if (exception) std::rethrow_exception(exception);
}

Meeting::Walker::Walker(Meeting& meeting) : meeting_(meeting), exceptions_(std::uncaught_exceptions()) {
  const std::lock_guard lock(meeting_.mutex_);
  ++meeting_.walking_;
}

Meeting::Walker::~Walker() {
  const std::lock_guard lock(meeting_.mutex_);
  --meeting_.walking_;
  meeting_.spoiled_ |= std::uncaught_exceptions() > exceptions_;
  meeting_.all_stand_.notify_one();
}

void Meeting::Walker::stand() const {
  std::unique_lock lock(meeting_.mutex_);
  if (!meeting_.called()) return;  // it was over before this thread came
  const size_t call = meeting_.calls_;
  ++meeting_.standing_;
  meeting_.all_stand_.notify_one();
  meeting_.goes_on_.wait(lock, [&] { return meeting_.calls_ != call; });
}

bool Meeting::call(const std::function<void()>& take) {
  std::unique_lock lock(mutex_);
  called_ = true;
  all_stand_.wait(lock, [&] { return standing_ == walking_; });
  if (!spoiled_) take();
  called_ = false;
  standing_ = 0;
  ++calls_;
  goes_on_.notify_all();
  return !spoiled_;
}

}  // namespace planner
