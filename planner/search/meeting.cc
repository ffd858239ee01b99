#include "planner/search/meeting.h"

#include <exception>

namespace planner {

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
