#include "planner/studies/entries/entries.h"

#include <algorithm>
#include <utility>

#include "dsl/write.h"
#include "planner/search/unite.h"

namespace planner {
namespace {

/// A path and the entry of `PATH=NAME`.
std::pair<std::string, std::string> use_of(const dsl::Override& use) {
  const size_t equals = use.text.find('=');
  return {use.text.substr(0, equals), use.text.substr(equals + 1)};
}

void add_new(const std::vector<std::string>& from, std::vector<std::string>& to) {
  for (const std::string& name : from)
    if (std::ranges::find(to, name) == to.end()) to.push_back(name);
}

/// From a space's own values and position to those of all spaces.
class Widened {
 public:
  Widened(const EntrySpaces& spaces, size_t space)
      : names_(spaces.choices),
        entries_(spaces.spaces[space].entries),
        own_(choice_names(spaces.spaces[space].read.scenario.space)),
        space_(static_cast<uint32_t>(space)) {}

  template <class Candidate> void operator()(Candidate& candidate) const {
    std::vector<dsl::Value> wide(names_.size());
    for (const dsl::Override& use : entries_.uses) {
      const auto [path, name] = use_of(use);
      wide[place_of(path)] = dsl::Value{name};
    }
    for (size_t i = 0; i < own_.size(); ++i) wide[place_of(own_[i])] = std::move(candidate.choices[i]);
    candidate.choices = std::move(wide);
    candidate.position.at.insert(candidate.position.at.begin(), space_);
  }

 private:
  size_t place_of(const std::string& name) const {
    return static_cast<size_t>(std::ranges::find(names_, name) - names_.begin());
  }

  const std::vector<std::string>& names_;
  const UsedEntries& entries_;
  std::vector<std::string> own_;
  uint32_t space_;
};

SearchResult widened(const EntrySpaces& spaces, size_t space, SearchResult result) {
  const Widened widen(spaces, space);
  for (std::vector<Found>* rows : {&result.plans, &result.pareto})
    for (Found& found : *rows) widen(found);
  // One that breaks no limit lacks a value of the goal, such as a price: that is near to nothing of another entry.
  if (result.nearest && result.nearest->excess.shares == 0) result.nearest.reset();
  if (result.nearest) widen(*result.nearest);
  result.valueless.clear();
  result.unmet.clear();
  result.unfinished.reset();
  return result;
}

/// Each stays relative to the fewest GPUs of its own entry.
void keep_efficiencies(const std::vector<SearchResult>& of_each, SearchResult& all) {
  const auto keep = [](const std::vector<Found>& from, std::vector<Found>& to) {
    for (Found& found : to)
      if (const auto same = std::ranges::find(from, found.position, &Found::position); same != from.end())
        found.results.scaling_efficiency = same->results.scaling_efficiency;
  };
  for (const SearchResult& one : of_each) {
    keep(one.plans, all.plans);
    keep(one.pareto, all.pareto);
  }
}

/// Whether the sets name these entries.
bool names_entries(const UsedEntries& entries, const Sets& sets) {
  return std::ranges::all_of(entries.uses, [&](const dsl::Override& use) {
    const auto [path, name] = use_of(use);
    return std::ranges::find(sets, std::pair(path, dsl::write_value({name}))) != sets.end();
  });
}

/// Whether the set is a choice of other entries alone: a row of these has no value of it.
bool is_of_others(const Sets::value_type& set, const EntrySpace& space) {
  const std::vector<std::string> own = choice_names(space.read.scenario.space);
  return set.second == "null" && std::ranges::find(own, set.first) == own.end();
}

}  // namespace

std::optional<EntrySpaces> open_entries(const ScenarioText& text, const std::vector<UsedEntries>& alternatives,
                                        dsl::Diagnostics& diagnostics) {
  EntrySpaces all;
  std::vector<dsl::Diagnostics> told;
  for (const UsedEntries& entries : alternatives) {
    const std::vector<dsl::Override> overrides = overrides_of(text, entries);
    auto read =
        read_with_layout({text.source, overrides, text.catalog, text.sources}, Opens::unwritten, told.emplace_back());
    if (read) all.spaces.push_back({entries, *std::move(read)});
  }
  tell_once(told, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  for (const dsl::Override& use : alternatives.front().uses) all.choices.push_back(use_of(use).first);
  for (const EntrySpace& space : all.spaces) {
    add_new(choice_names(space.read.scenario.space), all.choices);
    add_new(space.read.opened, all.opened);
  }
  return all;
}

EntrySearch search(const EntrySpaces& spaces, const SearchOptions& options) {
  EntrySearch found;
  std::vector<SearchResult> wide;
  bool stopped = false;
  for (size_t i = 0; i < spaces.spaces.size() && !stopped; ++i) {
    found.of_each.push_back(search(spaces.spaces[i].read.scenario, options));
    stopped = found.of_each.back().stopped;
    wide.push_back(widened(spaces, i, found.of_each.back()));
  }
  found.all = unite(wide, options);
  found.all.stopped = stopped;
  keep_efficiencies(wide, found.all);
  return found;
}

const EntrySpace& space_of(const EntrySpaces& spaces, const Position& position) {
  return spaces.spaces[position.at.front()];
}

namespace {

/// The space of the entries that a candidate names, and its other choices; null: of no space.
std::pair<const EntrySpace*, Sets> candidate_of(const EntrySpaces& spaces, const Sets& sets) {
  const auto space =
      std::ranges::find_if(spaces.spaces, [&](const EntrySpace& one) { return names_entries(one.entries, sets); });
  if (space == spaces.spaces.end()) return {};
  Sets chosen;
  std::ranges::copy_if(sets, std::back_inserter(chosen),
                       [&](const auto& set) { return !set.first.ends_with(".use") && !is_of_others(set, *space); });
  return {&*space, std::move(chosen)};
}

}  // namespace

Reread reread(const ScenarioText& text, const EntrySpaces& spaces) {
  return [text, &spaces](const Sets& sets) -> std::optional<LoadedScenario> {
    const auto [space, chosen] = candidate_of(spaces, sets);
    if (!space) return std::nullopt;
    dsl::Diagnostics unasked;
    return read_scenario(text.source, space->read.overrides, text.catalog, text.sources, unasked, {.chosen = chosen});
  };
}

Neighbours neighbours(const ScenarioText& text, const EntrySpaces& spaces) {
  return [text, &spaces](const Sets& sets, const LoadedScenario& base) -> std::optional<NearbySpace> {
    const auto [space, chosen] = candidate_of(spaces, sets);
    if (!space) return std::nullopt;
    return read_nearby({text.source, space->read.overrides, text.catalog, text.sources}, chosen, base);
  };
}

}  // namespace planner
