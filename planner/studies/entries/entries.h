// A search over entries of the catalogue (resolve/alternatives.h): a space for each, their candidates one result.
//
//     ScenarioText -> alternatives -> layout opened by the policy -> EntrySpace each -> search each -> SearchResult
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/resolve/alternatives.h"
#include "planner/resolve/nearby.h"
#include "planner/resolve/with_layout.h"
#include "planner/search/search.h"

namespace planner {

struct EntrySpace {
  UsedEntries entries;
  WithLayout read;
};

/// REQUIRES, of all that take it: not empty.
struct EntrySpaces {
  std::vector<EntrySpace> spaces;
  std::vector<std::string> choices;  // "cluster.use", then those of all spaces
  std::vector<std::string> opened;   // by the policy, in any of them
};

/// Reads each alternative with its choices open, and its layout too; nullopt if anything was wrong (diagnosed).
std::optional<EntrySpaces> open_entries(const ScenarioText& text, const std::vector<UsedEntries>& alternatives,
                                        dsl::Diagnostics& diagnostics);

struct EntrySearch {
  /// Of all spaces: a plan's values are those of `EntrySpaces::choices`, absent if its space does not have a choice.
  /// The first number of its position is that of its space. Its scaling_efficiency is relative to the fewest GPUs
  /// there. Counts of a space's items are in `of_each` alone.
  SearchResult all;
  std::vector<SearchResult> of_each;
};

/// Searches them, one behind the other, until it is stopped. REQUIRES: neither goal nor conditions compare with the
/// fewest GPUs of a space; `options` has no shards, and resumes no search.
EntrySearch search(const EntrySpaces& spaces, const SearchOptions& options);

/// Returns the space of a candidate. REQUIRES: the values are of a result of theirs.
const EntrySpace& space_of(const EntrySpaces& spaces, const Position& position);
/// Returns a function that reads a scenario again with the choices of a candidate, the entries first among them.
/// REQUIRES: the spaces and the references of the text outlive the result.
Reread reread(const ScenarioText& text, const EntrySpaces& spaces);
/// Returns one that reads what surrounds such a candidate.
Neighbours neighbours(const ScenarioText& text, const EntrySpaces& spaces);

}  // namespace planner
