// The hash of a key that is a few words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dsl {

inline size_t hash_words(std::span<const uint64_t> words) {
  uint64_t h = 0x9E3779B97F4A7C15u;
  for (uint64_t word : words) {
    h = (h ^ word) * 0xD6E8FEB86659FD93u;
    h ^= h >> 32;
  }
  return static_cast<size_t>(h);
}

}  // namespace dsl
