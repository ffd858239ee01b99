// Backward passes for tests of tuning.
#pragma once

#include <random>

#include "planner/tuning/search.h"

namespace sample {

/// A fixed time for each reduction, and a time for each byte.
inline planner::tuning::Sync linear(double begin_seconds, double seconds_per_byte, int most_partitions = 1) {
  return {[=](double bytes, int partitions) { return partitions * begin_seconds + bytes * seconds_per_byte; },
          most_partitions};
}

/// Pushes and pulls: of several partitions one is pulled while the next is pushed.
inline planner::tuning::Sync pushed(double begin_seconds, double seconds_per_byte, int most_partitions) {
  return {[=](double bytes, int partitions) {
            const double one = begin_seconds + bytes / partitions * seconds_per_byte;
            return (partitions + 1) * one;
          },
          most_partitions};
}

/// Sent to servers, where the last partition is still on its way when the next gradient may be sent.
inline planner::tuning::Sync on_its_way(double begin_seconds, double seconds_per_byte, int most_partitions) {
  return {[=](double bytes, int partitions) { return partitions * begin_seconds + bytes * seconds_per_byte; },
          most_partitions,
          [=](double bytes, int partitions) { return begin_seconds + 2 * bytes / partitions * seconds_per_byte; }};
}

/// Random pieces: each with a gradient, computation and communication of about the same length.
inline planner::tuning::Backward random_pass(std::mt19937& random, size_t pieces) {
  const auto uniform = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
  planner::tuning::Backward pass{.before_seconds = uniform(0, 5), .pieces = {}, .after_seconds = uniform(0, 1)};
  for (size_t i = 0; i < pieces; ++i) {
    const double seconds = uniform(0.1, 2);
    pass.pieces.push_back({.name = std::to_string(i),
                           .seconds = seconds,
                           .joined_saves_seconds = uniform(0, 0.3) * seconds,
                           .within_saves_seconds = uniform(0, 0.2) * seconds,
                           .gradient_bytes = uniform(0.1, 1) * (random() % 4 == 0 ? 8 : 1)});
  }
  return pass;
}

}  // namespace sample
