// Releases of training frameworks, as `software.release` and the recipes of a profile write them.
#pragma once

#include <compare>
#include <optional>
#include <string_view>

namespace planner {

/// "25.09" is {25, 9, 0}; "26.02.01" has a patch; "24.x" is a release of 2024 with an unknown month: {24, 0, 0}.
struct Release {
  int year = 0, month = 0, patch = 0;
  bool has_patch = false;
  friend auto operator<=>(const Release& a, const Release& b) {
    return a.year != b.year ? a.year <=> b.year : a.month != b.month ? a.month <=> b.month : a.patch <=> b.patch;
  }
  friend bool operator==(const Release& a, const Release& b) { return (a <=> b) == 0; }
};

/// The release that applies the recipes of no release in particular.
inline constexpr std::string_view kAnyRelease = "any";

inline constexpr const char* kReleaseForms =
    "write year and month, such as 25.09 or 26.02.01, 24.x for some month of a year, or any";

/// nullopt: `text` has another form.
std::optional<Release> parse_release(std::string_view text);

/// Releases from one to another. An end is as exact as it is written: `until: 25.09` holds for 25.09.01 too,
/// `until: 24.x` for all of 2024.
struct ReleaseRange {
  std::optional<Release> from, until;
  /// `release` empty: the range has to be open at both ends.
  bool holds(const std::optional<Release>& release) const;
  /// Whether it ends before it begins.
  bool is_empty() const { return from && !ReleaseRange{{}, until}.holds(*from); }
  /// For a year without a month: whether it holds in each month. A program's refusal must be certain.
  bool surely_holds(const Release& release) const;
};

}  // namespace planner
