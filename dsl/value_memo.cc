#include "dsl/value_memo.h"

#include <bit>

namespace dsl {

size_t ValueMemo::Hash::operator()(const Key& key) const {
  uint64_t h = 0x9E3779B97F4A7C15u;
  for (uint64_t word : key) {
    h = (h ^ word) * 0xD6E8FEB86659FD93u;
    h ^= h >> 32;
  }
  return static_cast<size_t>(h);
}

bool append_word(const Value& value, ValueMemo::Key& key) {
  if (const auto* number = std::get_if<Number>(&value.v))
    return key.push_back(std::bit_cast<uint64_t>(number->value)), true;
  if (const auto* truth = std::get_if<bool>(&value.v)) return key.push_back(*truth ? 1 : 0), true;
  return false;
}

}  // namespace dsl
