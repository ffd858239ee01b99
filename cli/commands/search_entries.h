// `search` where `use` is a list: the entries of the catalogue are a choice like any other.
#pragma once

#include "cli/commands/search_flags.h"
#include "planner/studies/entries/entries.h"

namespace cli {

/// Returns the alternatives of a text; one without uses where no `use` is a list. Mistakes are told in the session.
std::vector<planner::UsedEntries> entries_of(const dsl::Source& text, const ScenarioFlags& flags, Session& session);

/// Returns the space of each alternative; nullopt: diagnosed, or what was asked cannot be asked across entries.
/// `candidates`: of all, about.
std::optional<planner::EntrySpaces> entry_spaces(const planner::ScenarioText& text,
                                                 const std::vector<planner::UsedEntries>& alternatives,
                                                 const planner::SearchOptions& search, double limit, double& candidates,
                                                 dsl::Diagnostics& diagnostics);

/// Runs the search. REQUIRES: each alternative uses an entry; `search` and `limit` are what the flags say.
int run_search_of_entries(const SearchFlags& options, const dsl::Source& text,
                          const std::vector<planner::UsedEntries>& alternatives, planner::SearchOptions search,
                          double limit, Session& session, Streams& streams);

}  // namespace cli
