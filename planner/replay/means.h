// Means of times by what they are of, from the most that is known of it to the least.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace planner::replay {

template <size_t levels> class Means {
 public:
  using Keys = std::array<std::string, levels>;

  void add(const Keys& keys, int64_t ns) {
    for (size_t level = 0; level < levels; ++level) {
      Sum& sum = sums_[level][keys[level]];
      sum.ns += static_cast<double>(ns);
      ++sum.count;
    }
  }
  /// Returns the mean of the first key of which something was added; nullopt: there is none.
  std::optional<int64_t> of(const Keys& keys) const {
    for (size_t level = 0; level < levels; ++level)
      if (const auto sum = sums_[level].find(keys[level]); sum != sums_[level].end())
        return std::llround(sum->second.ns / static_cast<double>(sum->second.count));
    return std::nullopt;
  }

 private:
  struct Sum {
    double ns = 0;
    int64_t count = 0;
  };
  std::array<std::map<std::string, Sum>, levels> sums_;
};

}  // namespace planner::replay
