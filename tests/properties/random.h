// Numbers drawn from a seed: the same ones on every machine.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>
#include <vector>

namespace properties {

class Random {
 public:
  /// The numbers of place `index` of the sequence `seed`.
  Random(uint64_t seed, uint64_t index) : engine_(seed * 0x9e3779b97f4a7c15u + index) {}

  /// A whole number from 0 to `count` - 1. REQUIRES: count > 0.
  int64_t below(int64_t count) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(count)); }
  int64_t between(int64_t least, int64_t most) { return least + below(most - least + 1); }
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  bool chance(double share) { return unit() < share; }
  /// A factor from 1 / `most` to `most`, evenly by its logarithm.
  double factor(double most) { return std::pow(most, 2 * unit() - 1); }
  template <class T> const T& of(const std::vector<T>& values) {
    return values[static_cast<size_t>(below(static_cast<int64_t>(values.size())))];
  }
  int64_t of(std::initializer_list<int64_t> values) {
    return values.begin()[below(static_cast<int64_t>(values.size()))];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace properties
