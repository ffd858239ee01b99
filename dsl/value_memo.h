// Values that an open item may take, found again by the values of the items that it reads.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "dsl/hash_words.h"
#include "dsl/value.h"

namespace dsl {

class ValueMemo {
 public:
  /// Values that stay while somebody holds them; null: the item has none.
  using Values = std::shared_ptr<const List>;
  using Key = std::vector<uint64_t>;

  /// nullptr: not known. The pointer holds until the next `keep`.
  const Values* find(const Key& key) const {
    const auto at = kept_.find(key);
    return at == kept_.end() ? nullptr : &at->second;
  }
  /// Forgets all others where there are too many.
  const Values& keep(const Key& key, Values values) {
    if (kept_.size() >= kMost) kept_.clear();
    return kept_[key] = std::move(values);
  }

 private:
  static constexpr size_t kMost = 1 << 14;
  struct KeyHash {
    size_t operator()(const Key& key) const { return hash_words(key); }
  };
  std::unordered_map<Key, Values, KeyHash> kept_;
};

/// Appends a word that identifies a value among those of its item. Returns false for a text or a list, which no word
/// identifies.
inline bool append_word(const Value& value, ValueMemo::Key& key) {
  const std::optional<double> number = number_of(value);
  if (number) key.push_back(std::bit_cast<uint64_t>(*number));
  return number.has_value();
}

}  // namespace dsl
