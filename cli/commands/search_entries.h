// `search` where `use` is a list: the entries of the catalogue are a choice like any other.
#pragma once

#include "cli/commands/search.h"
#include "planner/resolve/alternatives.h"
#include "planner/search/search.h"

namespace cli {

/// Returns the alternatives of a text; one without uses where no `use` is a list. Mistakes are told in the session.
std::vector<planner::UsedEntries> entries_of(const dsl::Source& text, const ScenarioFlags& flags, Session& session);

/// Runs the search. REQUIRES: each alternative uses an entry; `search` and `limit` are what the flags say.
int run_search_of_entries(const SearchFlags& options, const dsl::Source& text,
                          const std::vector<planner::UsedEntries>& alternatives, planner::SearchOptions search,
                          double limit, Session& session, Streams& streams);

}  // namespace cli
