#include "planner/resolve/release.h"

#include <algorithm>
#include <charconv>

namespace planner {
namespace {

/// A number of two digits.
std::optional<int> two_digits(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.size() != 2 || error != std::errc() || end != text.data() + 2) return std::nullopt;
  return number;
}

/// Whether `release` lies behind `end`, of which only the parts that it writes count.
bool is_behind(const Release& release, const Release& end) {
  if (end.month == 0) return release.year > end.year;
  if (end.has_patch) return release > end;
  return Release{release.year, release.month} > Release{end.year, end.month};
}

}  // namespace

std::optional<Release> parse_release(std::string_view text) {
  const std::optional<int> year = two_digits(text.substr(0, 2));
  if (!year || text.size() < 4 || text[2] != '.') return std::nullopt;
  if (text.substr(3) == "x") return Release{.year = *year};
  const std::optional<int> month = two_digits(text.substr(3, 2));
  if (!month || *month < 1 || *month > 12) return std::nullopt;
  if (text.size() == 5) return Release{.year = *year, .month = *month};
  const std::optional<int> patch = two_digits(text.substr(std::min<size_t>(6, text.size())));
  if (text[5] != '.' || !patch) return std::nullopt;
  return Release{.year = *year, .month = *month, .patch = *patch, .has_patch = true};
}

bool ReleaseRange::surely_holds(const Release& release) const {
  if (release.month > 0) return holds(release);
  return holds(Release{.year = release.year, .month = 1}) && holds(Release{.year = release.year, .month = 12});
}

bool ReleaseRange::holds(const std::optional<Release>& release) const {
  if (!release) return !from && !until;
  return (!from || *release >= *from) && (!until || !is_behind(*release, *until));
}

}  // namespace planner
