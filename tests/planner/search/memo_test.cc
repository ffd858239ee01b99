// What a search keeps by key: nothing is taken for another, and nothing is lost while it grows.
#include "planner/search/memo.h"

#include <doctest/doctest.h>

#include <map>
#include <random>

#include "planner/search/shared.h"

using planner::KeyWords;
using planner::PartMemo;
using planner::WordMemo;

TEST_CASE("a memo is a map by all words of a key") {
  WordMemo<int> memo;
  std::map<KeyWords, int> expected;
  std::mt19937_64 random(1);
  std::map<KeyWords, int*> places;
  for (int i = 0; i < 20000; ++i) {
    // Few different words, high and low bits alike: many keys differ in one of them only.
    const KeyWords key{random() % 7, (random() % 5) << 60, random() % 3, random() % 11 << 31};
    auto [entry, is_new] = memo.at(key);
    CHECK(is_new == !expected.contains(key));
    if (is_new) {
      entry = expected[key] = i;
      places[key] = &entry;
    }
    CHECK(entry == expected[key]);
    CHECK(&entry == places[key]);
  }
  CHECK(memo.size() == expected.size());
  memo.clear();
  CHECK(memo.size() == 0);
  CHECK(memo.at(KeyWords{0, 0, 0, 0}).is_new);
}

TEST_CASE("a key without words has one entry") {
  WordMemo<int> memo;
  const auto first = memo.at({});
  CHECK(first.is_new);
  first.value = 3;
  CHECK(memo.at({}).value == 3);
  CHECK_FALSE(memo.at({}).is_new);
}

TEST_CASE("a part is found again by the items that it reads and by its parents, and by no other") {
  PartMemo<int> part(1);
  part.reads(0);
  part.reads(2);
  planner::LevelWords words(3);
  int made = 0;
  const auto at = [&](const KeyWords& values, uint64_t parent, size_t changed) {
    for (size_t level = changed; level < 3; ++level) words.put(level, values[level]);
    words.change(changed);
    auto [entry, is_new] = part.at(words, {parent});
    if (is_new) entry = ++made;
    return entry;
  };
  CHECK(at({1, 1, 1}, 0, 0) == 1);
  CHECK(at({1, 2, 1}, 0, 1) == 1);  // item 1 is not read
  CHECK(at({1, 2, 2}, 0, 2) == 2);
  CHECK(at({1, 2, 2}, 7, 3) == 3);  // nothing but the parent
  CHECK(at({1, 2, 2}, 7, 3) == 3);
  CHECK(at({1, 3, 1}, 0, 1) == 1);
  CHECK(at({2, 3, 1}, 0, 0) == 4);
  CHECK(part.size() == 4);
  CHECK(std::vector<uint64_t>(part.words().begin(), part.words().end()) == KeyWords{0, 2, 1});
  part.clear();
  CHECK(at({2, 3, 1}, 0, 3) == 5);
}

TEST_CASE("threads share blocks by key and texts by number") {
  planner::SharedParts shared;
  const auto first = shared.blocks(KeyWords{1, 2}), again = shared.blocks(KeyWords{1, 2}),
             other = shared.blocks(KeyWords{2, 1});
  CHECK(first == again);
  CHECK(first != other);
  CHECK(first->id != other->id);
  CHECK(shared.number_of("gpipe") == shared.number_of("gpipe"));
  CHECK(shared.number_of("gpipe") != shared.number_of("1f1b"));
}

TEST_CASE("levels that changed since a time are those from the first on") {
  planner::LevelWords words(4);
  std::vector<uint64_t> last(4, 0);  // the change of each level, by hand
  std::mt19937_64 random(3);
  std::vector<uint64_t> times{0};
  for (int i = 0; i < 200; ++i) {
    const size_t from = random() % 5;
    words.change(from);
    for (size_t level = from; level < 4; ++level) last[level] = words.now();
    times.push_back(words.now());
    const uint64_t seen = times[random() % times.size()];
    size_t first = 0;
    while (first < 4 && last[first] <= seen) ++first;
    CHECK(words.first_changed(seen) == first);
  }
  CHECK(words.first_changed(words.now()) == 4);
}
