#include "planner/search/deal.h"

#include <bit>
#include <functional>
#include <unordered_map>

#include "dsl/hash_words.h"
#include "planner/search/memo.h"
#include "planner/search/parts.h"
#include "planner/search/readers.h"

namespace planner {
namespace {

constexpr size_t kCardsOfShard = 32;  // enough for all shards to have about the same to cost

struct HashOfWords {
  size_t operator()(const KeyWords& words) const { return dsl::hash_words(words); }
};

/// Equal values have equal words; of two texts it does no harm if they have one word.
uint64_t word_of(const dsl::Value& value) {
  if (const auto* number = std::get_if<dsl::Number>(&value.v)) return std::bit_cast<uint64_t>(number->value);
  return std::hash<std::string>()(dsl::to_text(value));
}

class Dealer {
 public:
  Dealer(const OpenScenario& open, const std::vector<size_t>& order, int64_t shards)
      : open_(open), order_(order), shards_(shards), tells_(split_depth(open.space, order, shards)) {
    for (size_t level = 0; level < tells_.size(); ++level) tells_[level] = reads_blocks(level);
  }

  /// Uses more levels to separate cards, from the outermost, until there are enough cards.
  void cut() {
    const size_t enough = kCardsOfShard * static_cast<size_t>(shards_);
    for (size_t level = 0; level < tells_.size(); ++level) {
      if (tells_[level]) continue;
      each_part([&](int64_t, int64_t) { return cards_.size() < enough; });
      if (cards_.size() >= enough) return;
      tells_[level] = true;
    }
  }

  std::vector<int64_t> parts_of(int64_t shard) {
    std::vector<int64_t> parts;
    int64_t count = 0;
    each_part([&](int64_t part, int64_t card) {
      if (shard_of(card, shards_) == shard) parts.push_back(part);
      count = part + 1;
      return true;
    });
    parts.push_back(count);
    return parts;
  }

 private:
  bool reads_blocks(size_t level) const {
    const dsl::OpenItem& item = open_.space.items()[order_[level]];
    return item.field && (readers_of(item.path) & kBlocks) != 0;
  }

  /// Calls `visit` with each part and its card, until it returns false. Cards are numbered as the walk comes to them; a
  /// part that lacks a value is one of its own.
  void each_part(const std::function<bool(int64_t part, int64_t card)>& visit) {
    cards_.clear();
    dsl::Cursor cursor(open_.space, order_);
    int64_t count = 0;
    cursor.split(tells_.size(), [&](int64_t part) {
      if (cursor.is_valueless()) return !visit(part, count++);
      const auto [card, is_new] = cards_.try_emplace(words_of(cursor), count);
      if (is_new) ++count;
      return !visit(part, card->second);
    });
    cursor.next();  // to the end, or where it is to stop
  }

  KeyWords words_of(const dsl::Cursor& cursor) const {
    KeyWords words;
    for (size_t level = 0; level < tells_.size(); ++level)
      if (tells_[level]) words.push_back(word_of(cursor.value(order_[level])));
    return words;
  }

  const OpenScenario& open_;
  const std::vector<size_t>& order_;
  int64_t shards_;
  std::vector<bool> tells_;  // by level, of those that make a part: whether its values separate cards
  std::unordered_map<KeyWords, int64_t, HashOfWords> cards_;
};

}  // namespace

std::vector<int64_t> dealt_parts(const OpenScenario& open, const std::vector<size_t>& order, int64_t shard,
                                 int64_t shards) {
  Dealer dealer(open, order, shards);
  dealer.cut();
  return dealer.parts_of(shard);
}

}  // namespace planner
