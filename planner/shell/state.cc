#include "planner/shell/state.h"

#include <algorithm>
#include <numeric>

namespace planner::shell {

uint32_t SourcePlaces::add(const dsl::Source& source) {
  const uint32_t from = end_;
  sources_.push_back({from, dsl::LineMap(source)});
  end_ += static_cast<uint32_t>(source.text.size()) + 1;
  return from;
}

PlacedText SourcePlaces::placed(const std::string& text, uint32_t from) {
  PlacedText out{text, std::vector<uint32_t>(text.size()), false};
  std::iota(out.at.begin(), out.at.end(), from);
  return out;
}

dsl::Span SourcePlaces::span(uint32_t place, size_t size) const {
  place &= ~PlacedText::kOpen;
  const auto behind = std::ranges::upper_bound(sources_, place, {}, &PlacedSource::from);
  if (behind == sources_.begin()) return {};
  const PlacedSource& source = *std::prev(behind);
  return source.lines.at(place - source.from, size);
}

const PlacedText* ShellVariable::find(const std::string& key) const {
  const auto item = std::ranges::find(items, key, &std::pair<std::string, PlacedText>::first);
  return item == items.end() ? nullptr : &item->second;
}

PlacedText& ShellVariable::operator[](const std::string& key) {
  const auto item = std::ranges::find(items, key, &std::pair<std::string, PlacedText>::first);
  return item == items.end() ? items.emplace_back(key, PlacedText{}).second : item->second;
}

const ShellVariable* ScriptState::find(const std::string& name) const {
  const auto variable = variables.find(name);
  return variable == variables.end() ? nullptr : &variable->second;
}

void ScriptState::set(const std::string& name, PlacedText value) {
  variables[name] = {{{"0", std::move(value)}}, false};
}

}  // namespace planner::shell
