// A result as an object: a member for each of its lines, in order (planner/plan/figure_field.h).
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "cli/report/data.h"
#include "planner/plan/figure_field.h"

namespace cli {

class FiguresData {
 public:
  template <class T> void operator()(const char* key, const T& member, const planner::FigureAbout& about) {
    if constexpr (std::is_same_v<T, std::string_view>) object.push_back({key, std::string(member)});
    else if constexpr (std::is_same_v<T, int64_t>) object.push_back({key, member});
    else object.push_back({key, about.unit == planner::FigureUnit::count ? whole(member) : Data(member)});
  }
  Data::Object object;
};

template <class T> Data figures_data(T result) {
  FiguresData v;
  fields(v, result);
  return std::move(v.object);
}

}  // namespace cli
