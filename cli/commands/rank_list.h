// Ranks as flags name them: "0-7,12".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/diagnostic.h"

namespace cli {

/// Ranks in a row, the last one too.
struct RankRange {
  int64_t first = 0, last = 0;
};
/// Returns the comma-separated ranges of a text, in order, each of a million ranks at most; nullopt: the text is not
/// such a list. "" gives an empty list.
std::optional<std::vector<RankRange>> rank_ranges(std::string_view text);

/// --rank: returns the named ranks, in order. Diagnosed (nullopt): a text that is not a list; a rank that occurs twice,
/// or for which `has` is false (`which` then describes the existing ranks); more than a million ranks.
std::optional<std::vector<int64_t>> ranks_named(const std::string& text, const std::function<bool(int64_t)>& has,
                                                const std::string& which, dsl::Diagnostics& diagnostics);

/// Message for a --rank without a timeline.
inline constexpr const char* kRankAlone = "--rank says whose events --timeline FILE gets: there is no --timeline";

}  // namespace cli
