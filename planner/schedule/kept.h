// A cache of what was made from a program, of limited size.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>

#include "dsl/hash_words.h"
#include "planner/schedule/pipeline.h"

namespace planner {

/// The key of a program: everything it depends on.
struct ProgramKey {
  ProgramOf program = nullptr;
  int64_t stages = 0, microbatches = 0;
  Work end = Work::forward;
  bool operator==(const ProgramKey&) const = default;
};

template <class T> class KeptByProgram {
 public:
  /// `room`: the largest sum of sizes. An entry that does not fit replaces all others.
  explicit KeptByProgram(int64_t room) : room_(room) {}

  /// Returns what `make()` made for the key, the last time or now: good until the next call. `size_of(made)` is at
  /// least 0.
  template <class Make, class SizeOf> const T& at(const ProgramKey& key, Make make, SizeOf size_of) {
    if (last_ && last_->first == key) return last_->second;
    auto found = kept_.find(key);
    if (found == kept_.end()) {
      T made = make();
      taken_ += size_of(made);
      if (taken_ > room_) kept_.clear(), taken_ = size_of(made);
      found = kept_.emplace(key, std::move(made)).first;
    }
    last_ = &*found;
    return last_->second;
  }

 private:
  struct ProgramHash {
    size_t operator()(const ProgramKey& key) const {
      return dsl::hash_words(
          std::array<uint64_t, 4>{std::hash<ProgramOf>()(key.program), static_cast<uint64_t>(key.stages),
                                  static_cast<uint64_t>(key.microbatches), static_cast<uint64_t>(key.end)});
    }
  };

  std::unordered_map<ProgramKey, T, ProgramHash> kept_;
  const std::pair<const ProgramKey, T>* last_ = nullptr;
  int64_t room_, taken_ = 0;
};

}  // namespace planner
