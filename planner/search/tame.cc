#include "planner/search/tame.h"

#include <algorithm>
#include <cmath>

namespace planner {
namespace {

bool is_tame(const dsl::Value& value) {
  constexpr double kLeast = 1e-30, kMost = 1e30;
  if (const auto* list = std::get_if<dsl::List>(&value.v)) return std::ranges::all_of(*list, is_tame);
  const auto* number = std::get_if<dsl::Number>(&value.v);
  const double size = number ? std::abs(number->value) : 0;
  return size == 0 || (size >= kLeast && size <= kMost);
}

}  // namespace

Tame::Tame(const OpenScenario& open) {
  for (const auto& [path, slot] : open.space.record().slots) always_ &= is_tame(slot.value);
  const std::vector<dsl::OpenItem>& items = open.space.items();
  for (size_t item = 0; item < items.size(); ++item) {
    always_ &= std::ranges::all_of(items[item].values, is_tame);
    if (items[item].field && items[item].values.empty()) unknown_.push_back(item);
  }
}

bool Tame::holds(const dsl::Cursor& cursor) const {
  return always_ && std::ranges::all_of(unknown_, [&](size_t item) { return is_tame(cursor.value(item)); });
}

}  // namespace planner
