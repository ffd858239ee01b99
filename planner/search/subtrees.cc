#include "planner/search/subtrees.h"

#include <algorithm>

#include "planner/scenario/field_setter.h"
#include "planner/search/make_blocks.h"
#include "planner/search/prefixes.h"

namespace planner {
namespace {

constexpr size_t kFew = 8;               // combinations whose range is recomputed rather than kept
constexpr uint64_t kAny = ~uint64_t{0};  // no value of a free level has such a number

constexpr std::array<std::string_view, 3> kResultsOfBlocks{"memory.peak", "memory.headroom", "hfu"};

void take_in(BlockRange& range, const BlockRange& part, bool is_first) {
  if (!is_first) return widen(range, part);
  range.like = part.like;
  range.least = part.least;
  range.most = part.most;
  range.shortest = part.shortest;
  range.shortest_at_work = part.shortest_at_work;
}

}  // namespace

bool differs_in_subtree(std::string_view path) {
  return acts_through_blocks(path) || is_host_share(path) || std::ranges::count(kResultsOfBlocks, path) > 0;
}

Subtrees::Subtrees(const OpenScenario& open, SharedParts& shared, const std::vector<size_t>& order)
    : open_(open), shared_(shared), order_(order), free_from_(planner::free_from(open, order)), scenario_(open.sample) {
  if (free_from_ == order.size()) return;
  setters_.resize(order.size());
  for (size_t level = 0; level < order.size(); ++level) {
    const dsl::OpenItem& item = open.space.items()[order[level]];
    if (item.field && (readers_of(item.path) & kBlocks)) read_.push_back(level);
    if (level < free_from_) continue;
    setters_[level] = field_setter(scenario_, item.path);
    free_.push_back({.level = level,
                     .item = order[level],
                     .values = item.values.size(),
                     .readers = readers_of(item.path),
                     .is_share = is_host_share(item.path)});
  }
  for (size_t level = free_from_; level < order.size(); ++level) {
    PartMemo<std::shared_ptr<BlockRange>>& kept = kept_.emplace_back(3);
    for (size_t read : read_)
      if (read < level) kept.reads(read);
  }
}

uint64_t Subtrees::open_levels(PlanPart part, size_t level) const {
  return static_cast<uint64_t>(
      std::ranges::count_if(free_, [&](const FreeChoice& c) { return c.level > level && (c.readers & part); }));
}

void Subtrees::put(size_t level, size_t value) {
  const dsl::List& values = open_.space.items()[order_[level]].values;
  setters_[level](values[value]);
}

void Subtrees::forget() {
  for (auto& kept : kept_) kept.clear();
}

size_t Subtrees::bytes() const {
  size_t bytes = 0;
  for (const auto& kept : kept_) bytes += kept.bytes();
  return bytes;
}

const BlockRange& Subtrees::range(const Scenario& s, size_t level, const LevelWords& words,
                                  const std::array<uint64_t, 3>& others) {
  const auto entry = kept_[level + 1 - free_from_].at(words, {others[0], others[1], others[2]});
  std::shared_ptr<BlockRange>& found = entry.value;
  if (!entry.is_new) return *found;
  Key key(others.begin(), others.end());
  for (size_t read : read_) key.push_back(read <= level ? words[read] : kAny);
  found = shared_.range(key);
  std::call_once(found->made, [&] {
    scenario_ = s;
    like_.reset();
    make(*found, key, level);
    shared_.note(*found);
  });
  return *found;
}

// The free level behind `level` that blocks read next.
std::optional<size_t> Subtrees::next_of_blocks(size_t level) const {
  const auto next = std::ranges::upper_bound(read_, level);
  return next == read_.end() ? std::nullopt : std::optional(*next);
}

// Of a scenario whose levels up to `level` have their values: that of the first value of the next level, widened by
// those of the others.
void Subtrees::make(BlockRange& range, Key& key, size_t level) {
  const std::optional<size_t> next = next_of_blocks(level);
  if (!next) return make_one(range);
  const size_t values = open_.space.items()[order_[*next]].values.size();
  uint64_t& word =
      key[key.size() - read_.size() + static_cast<size_t>(std::ranges::find(read_, *next) - read_.begin())];
  for (size_t i = 0; i < values; ++i) {
    put(*next, word = i);
    if (combinations_behind(*next) <= kFew) {
      BlockRange part;
      make(part, key, *next);
      take_in(range, part, i == 0);
    } else {
      const std::shared_ptr<BlockRange> part = shared_.range(key);
      std::call_once(part->made, [&] {
        make(*part, key, *next);
        shared_.note(*part);
      });
      take_in(range, *part, i == 0);
    }
  }
  word = kAny;
}

void Subtrees::make_one(BlockRange& range) {
  const auto blocks = std::make_shared<Blocks>();
  time_blocks(scenario_, make_blocks(scenario_, *blocks), *blocks);
  start(range, blocks);
  std::vector<CostedBlock>().swap(blocks->costed.blocks);  // the range has their times
  if (like_ && range.like && are_alike(*like_, *range.like)) range.like = like_;
  like_ = range.like;
}

size_t Subtrees::combinations_behind(size_t level) const {
  size_t combinations = 1;
  for (size_t read : read_)
    if (read > level) combinations *= open_.space.items()[order_[read]].values.size();
  return combinations;
}

}  // namespace planner
