// Numbers that represent texts.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace planner {

class TextNumbers {
 public:
  /// Returns a number for a text; equal texts have equal numbers, for every thread.
  uint64_t of(const std::string& text) {
    const std::lock_guard lock(mutex_);
    return numbers_.try_emplace(text, numbers_.size()).first->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, uint64_t> numbers_;
};

}  // namespace planner
