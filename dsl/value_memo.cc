#include "dsl/value_memo.h"

#include <bit>

#include "dsl/hash_words.h"
#include "dsl/number_of.h"

namespace dsl {

size_t ValueMemo::Hash::operator()(const Key& key) const { return hash_words(key); }

bool append_word(const Value& value, ValueMemo::Key& key) {
  const std::optional<double> number = number_of(value);
  if (number) key.push_back(std::bit_cast<uint64_t>(*number));
  return number.has_value();
}

}  // namespace dsl
