#include "planner/scaling/read/nsight_sums.h"

#include <algorithm>

namespace planner::scaling {

bool StepSums::find_window(int64_t start) {
  const auto holds = [&](const StepWindow& window) { return window.start <= start && start < window.end; };
  if (window_ < windows_.size() && holds(windows_[window_])) return true;
  const auto after = std::upper_bound(windows_.begin(), windows_.end(), start,
                                      [](int64_t time, const StepWindow& window) { return time < window.start; });
  if (after == windows_.begin() || !holds(after[-1])) return false;
  window_ = static_cast<size_t>(after - windows_.begin()) - 1;
  return true;
}

void StepSums::add(int64_t name, int64_t start, int64_t end, int64_t bytes) {
  if (!find_window(start)) return;
  if (!last_ || last_name_ != name) {
    last_ = &sums_[name];
    last_name_ = name;
  }
  if (last_->empty() || last_->back().window != window_) last_->push_back({window_});
  StepSum& sum = last_->back();
  sum.time += static_cast<double>(end) - static_cast<double>(start);
  sum.visits += 1;
  sum.bytes += static_cast<double>(bytes);
}

std::unordered_map<int64_t, std::vector<StepSum>> StepSums::take() {
  for (auto& [name, sums] : sums_) {
    std::stable_sort(sums.begin(), sums.end(), [](const StepSum& a, const StepSum& b) { return a.window < b.window; });
    size_t kept = 0;
    for (size_t i = 1; i < sums.size(); ++i) {
      if (sums[i].window != sums[kept].window) {
        sums[++kept] = sums[i];
        continue;
      }
      sums[kept].time += sums[i].time;
      sums[kept].visits += sums[i].visits;
      sums[kept].bytes += sums[i].bytes;
    }
    sums.resize(kept + 1);
  }
  last_ = nullptr;
  return std::move(sums_);
}

double median_with_zeros(std::vector<double>& values, size_t count) {
  values.resize(std::max(values.size(), count));
  const size_t middle = values.size() / 2;
  if (values.empty()) return 0;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle), values.end());
  const double upper = values[middle];
  if (values.size() % 2 == 1) return upper;
  return (upper + *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle))) / 2;
}

}  // namespace planner::scaling
