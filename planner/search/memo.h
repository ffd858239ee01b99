// A memo: results of earlier computations, found by the numbers that they depend on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "dsl/hash_words.h"

namespace planner {

/// The key of a memo is a few words; all keys have one length. Equal keys are equal words, so that nothing is taken for
/// another.
using KeyWords = std::vector<uint64_t>;

/// An entry of a memo; `is_new`: there was none before, and the caller must make it.
template <class T> struct MemoEntry {
  T& value;
  bool is_new = false;
};

template <class T> class WordMemo {
 public:
  /// Returns the entry of a key. It stays where it is until `clear`.
  MemoEntry<T> at(std::span<const uint64_t> key) {
    if (2 * (entries_.size() + 1) > table_.size()) grow();
    const auto hash = static_cast<uint32_t>(dsl::hash_words(key));
    MemoSlot& slot = place(key, hash);
    const bool is_new = slot.number == 0;
    if (is_new) {
      keys_.insert(keys_.end(), key.begin(), key.end());
      entries_.emplace_back();
      slot = {static_cast<uint32_t>(entries_.size()), hash};
    }
    return {entries_[slot.number - 1], is_new};
  }
  size_t size() const { return entries_.size(); }
  /// Returns the memory that it takes, but for what its entries hold elsewhere.
  size_t bytes() const {
    return keys_.size() * sizeof(uint64_t) + entries_.size() * sizeof(T) + table_.size() * sizeof(MemoSlot);
  }
  void clear() {
    keys_.clear();
    entries_.clear();
    std::fill(table_.begin(), table_.end(), MemoSlot{});
  }

 private:
  struct MemoSlot {
    uint32_t number = 0;  // of the entry, from 1; 0: free
    uint32_t hash = 0;    // of its key, which is far away in memory
  };

  MemoSlot& place(std::span<const uint64_t> key, uint32_t hash) {
    return find(hash, [&](const MemoSlot& slot) {
      return slot.hash == hash && are_equal(key, keys_.data() + (slot.number - 1) * key.size());
    });
  }
  // A few words, which no call is worth.
  static bool are_equal(std::span<const uint64_t> key, const uint64_t* other) {
    uint64_t differs = 0;
    for (size_t i = 0; i < key.size(); ++i) differs |= key[i] ^ other[i];
    return differs == 0;
  }
  template <class IsIt> MemoSlot& find(uint32_t hash, IsIt is_it) {
    const size_t mask = table_.size() - 1;
    for (size_t at = hash & mask;; at = (at + 1) & mask)
      if (table_[at].number == 0 || is_it(table_[at])) return table_[at];
  }
  void grow() {
    const std::vector<MemoSlot> before =
        std::exchange(table_, std::vector<MemoSlot>(std::max<size_t>(64, 2 * table_.size())));
    for (const MemoSlot& slot : before)
      if (slot.number > 0) find(slot.hash, [](const MemoSlot&) { return false; }) = slot;
  }

  std::vector<uint64_t> keys_;  // of the entries, one after the other
  std::deque<T> entries_;
  std::vector<MemoSlot> table_;  // by hash, to the next free slot
};

/// The values of a walk's levels as words (equal values of a level, equal words), and when they changed.
class LevelWords {
 public:
  explicit LevelWords(size_t levels) : words_(levels), changed_(levels) {}

  uint64_t operator[](size_t level) const { return words_[level]; }
  void put(size_t level, uint64_t word) { words_[level] = word; }
  /// Notes that this level and those behind it have new values.
  void change(size_t from) {
    ++now_;
    std::fill(changed_.begin() + static_cast<std::ptrdiff_t>(std::min(from, changed_.size())), changed_.end(), now_);
  }
  /// Counts the changes: up to now, and up to the last one of a level or one before it.
  uint64_t now() const { return now_; }
  uint64_t changed(size_t level) const { return changed_[level]; }
  /// Returns the first level that changed after `seen`; how many there are: none.
  size_t first_changed(uint64_t seen) const {
    size_t level = changed_.size();
    while (level > 0 && changed_[level - 1] > seen) --level;
    return level;
  }
  size_t size() const { return words_.size(); }

 private:
  KeyWords words_;
  std::vector<uint64_t> changed_;
  uint64_t now_ = 0;
};

/// Returns the bytes that a list holds outside of itself, but for what its items hold.
template <class T> size_t bytes_of(const std::vector<T>& list) { return list.capacity() * sizeof(T); }

/// Keeps a part of a plan (readers.h) for each set of values of the levels that it reads, behind the numbers of the
/// parts that it is computed from. The last one is at hand without a search.
template <class T> class PartMemo {
 public:
  explicit PartMemo(size_t parents) : words_(parents), parents_(parents) {}

  /// Declares that the part reads a level. REQUIRES: before any lookup.
  void reads(size_t level) {
    if (std::ranges::count(levels_, level) > 0) return;
    levels_.push_back(level);
    words_.push_back(0);
    deepest_ = std::max(deepest_, level);
  }

  /// REQUIRES: always called with the same `words`.
  MemoEntry<T> at(const LevelWords& words, std::initializer_list<uint64_t> parents) {
    bool same = last_ && (levels_.empty() || words.changed(deepest_) <= seen_);
    for (size_t i = 0; uint64_t parent : parents) {
      same &= words_[i] == parent;
      words_[i++] = parent;
    }
    if (same) return {*last_};
    for (size_t i = 0; i < levels_.size(); ++i) words_[parents_ + i] = words[levels_[i]];
    seen_ = words.now();
    const MemoEntry<T> entry = memo_.at(words_);
    last_ = &entry.value;
    return entry;
  }
  /// Returns the words of the last lookup.
  std::span<const uint64_t> words() const { return words_; }
  size_t size() const { return memo_.size(); }
  /// Records that a made entry holds this many bytes outside of itself.
  void holds(size_t bytes) { elsewhere_ += bytes; }
  size_t bytes() const { return memo_.bytes() + elsewhere_; }
  void clear() {
    memo_.clear();
    elsewhere_ = 0;
    last_ = nullptr;
  }

 private:
  std::vector<size_t> levels_;
  size_t deepest_ = 0;  // of them
  KeyWords words_;
  size_t parents_, elsewhere_ = 0;
  WordMemo<T> memo_;
  T* last_ = nullptr;
  uint64_t seen_ = 0;  // the change up to which `words_` are true
};

}  // namespace planner
