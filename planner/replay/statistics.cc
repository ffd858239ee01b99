#include "planner/replay/statistics.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace planner::replay {
namespace {

constexpr std::array<const char*, 8> kNames{"call",  "between", "launch",    "stream",
                                            "event", "sync",    "hand-over", "span"};

// What each level knows of begin, end, before and after.
constexpr std::array<std::array<bool, 4>, 5> kKnows{
    {{true, true, true, true}, {true, true, false, true}, {false, true, false, true}, {false, false, false, true}, {}}};

std::pair<TimeKind, Statistics::Texts> key_of(const TimeMoment& moment, size_t level) {
  Statistics::Texts texts;
  const std::array<std::string_view, 4> all{moment.begin, moment.end, moment.before, moment.after};
  for (size_t i = 0; i < all.size(); ++i)
    if (kKnows[level][i]) texts[i] = all[i];
  return {moment.kind, std::move(texts)};
}

}  // namespace

const char* name_of(TimeKind kind) { return kNames[static_cast<size_t>(kind)]; }

std::span<const char* const> time_kinds() { return kNames; }

std::optional<TimeKind> time_kind(std::string_view name) {
  const auto* const at = std::ranges::find(kNames, name);
  if (at == kNames.end()) return std::nullopt;
  return static_cast<TimeKind>(at - kNames.begin());
}

void Statistics::add(const TimeMoment& moment, double ns, int64_t count) {
  count_ += count;
  if (moment.place >= 0) {
    auto [kind, texts] = key_of(moment, 0);
    TimeSum& sum = placed_[{kind, std::move(texts), moment.place}];
    sum.ns += ns, sum.count += count;
  }
  for (size_t level = 0; level < kLevels; ++level) {
    TimeSum& sum = levels_[level][key_of(moment, level)];
    sum.ns += ns;
    sum.count += count;
  }
}

std::optional<int64_t> Statistics::mean_ns(const TimeMoment& moment) const {
  const auto mean = [](const TimeSum& sum) { return std::llround(sum.ns / static_cast<double>(sum.count)); };
  if (moment.place >= 0) {
    const auto [kind, texts] = key_of(moment, 0);
    if (const auto sum = placed_.find({kind, texts, moment.place}); sum != placed_.end()) return mean(sum->second);
  }
  for (size_t level = 0; level < kLevels; ++level)
    if (const auto sum = levels_[level].find(key_of(moment, level)); sum != levels_[level].end())
      return mean(sum->second);
  return std::nullopt;
}

}  // namespace planner::replay
