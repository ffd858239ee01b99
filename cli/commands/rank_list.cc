#include "cli/commands/rank_list.h"

#include <fmt/format.h>

#include <charconv>
#include <set>

namespace cli {
namespace {

constexpr int64_t kMostNamed = 1'000'000;

/// Returns "" or the mistake in the ranges; `ranks` has those before it.
std::string add_ranks(const std::vector<RankRange>& ranges, const std::function<bool(int64_t)>& has,
                      const std::string& which, std::set<int64_t>& ranks) {
  for (const RankRange& range : ranges)
    for (int64_t rank = range.first; rank <= range.last; ++rank) {
      if (!has(rank)) return fmt::format("there is no rank {}: {}", rank, which);
      if (!ranks.insert(rank).second) return fmt::format("rank {} stands twice", rank);
      if (std::ssize(ranks) > kMostNamed) return fmt::format("more than {} ranks", kMostNamed);
    }
  return "";
}

}  // namespace

std::optional<std::vector<RankRange>> rank_ranges(std::string_view text) {
  std::vector<RankRange> ranges;
  const char *at = text.data(), *const end = at + text.size();
  while (at < end) {
    RankRange range;
    std::from_chars_result read = std::from_chars(at, end, range.first);
    range.last = range.first;
    if (read.ec == std::errc() && read.ptr < end && *read.ptr == '-')
      read = std::from_chars(read.ptr + 1, end, range.last);
    const char* next = read.ptr;
    const bool good = read.ec == std::errc() && (next == end || (*next == ',' && next + 1 < end)) && range.first >= 0 &&
                      range.first <= range.last && range.last - range.first < kMostNamed;
    if (!good) return std::nullopt;
    ranges.push_back(range);
    at = next == end ? end : next + 1;
  }
  return ranges;
}

std::optional<std::vector<int64_t>> ranks_named(const std::string& text, const std::function<bool(int64_t)>& has,
                                                const std::string& which, dsl::Diagnostics& diagnostics) {
  const char* const example = "--rank 0, or several: --rank 0-7,12";
  const auto ranges = rank_ranges(text);
  std::set<int64_t> ranks;
  const std::string wrong = !ranges || ranges->empty() ? "expected numbers of ranks, joined by commas"
                                                       : add_ranks(*ranges, has, which, ranks);
  if (wrong.empty()) return std::vector<int64_t>(ranks.begin(), ranks.end());
  diagnostics.error({}, fmt::format("--rank '{}': {}", text, wrong), example);
  return std::nullopt;
}

}  // namespace cli
