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
/// Returns the ranges that a text joins by commas, as they stand there, each of a million ranks at most; nullopt: it is
/// something else. Of "" there are none.
std::optional<std::vector<RankRange>> rank_ranges(std::string_view text);

/// --rank: returns the ranks that it names, in their order. Diagnosed (nullopt): a text that is none; a rank that
/// stands twice, or that `has` says there is none of, for which `which` says the ranks that there are; more ranks than
/// a million.
std::optional<std::vector<int64_t>> ranks_named(const std::string& text, const std::function<bool(int64_t)>& has,
                                                const std::string& which, dsl::Diagnostics& diagnostics);

/// What is wrong with a --rank that no timeline takes.
inline constexpr const char* kRankAlone = "--rank says whose events --timeline FILE gets: there is no --timeline";

}  // namespace cli
