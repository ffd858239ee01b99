// The options of `trainplan search`, as its flags give them, and the modes that replace a single search.
#pragma once

#include "cli/commands/common.h"
#include "planner/search/search.h"
#include "planner/studies/entries/entries.h"

namespace cli {

struct SearchFlags {
  CommonFlags common;
  ScenarioFlags scenario;
  std::string from;                 // the run that is held against the best
  std::vector<std::string> pareto;  // axes of the front
  bool sensitivity = false;         // parameters on which the best plan depends
  bool exhaustive = false;          // every figure of every candidate
  bool other_batches = false;       // on each number of GPUs without a plan
  std::optional<int64_t> explain;   // rank of the plan to hold against the next
  std::vector<std::string> why;     // a layout: "tp=8"
  std::string solve, until;         // field whose break-even value is sought, and the condition
  std::string shard;                // "I/N", one of N parts of the space
  std::string resume;               // the JSON of the same search, interrupted; "auto": next to --output
  std::string checkpoint;           // how often it is kept: "60s"
  std::string limit;                // combinations at most, "1e9"
  std::optional<int64_t> verify;    // candidates to plan a second time
};

/// `search --solve PATH --until CONDITION`: the value of a field at which the best plan begins to meet a condition.
/// REQUIRES: `options` has both flags. `search`: how each value is searched.
int run_solve(const SearchFlags& options, const planner::SearchOptions& search, Streams& streams);

/// Returns the alternatives of a text; a single one if no `use` is a list. The session reports mistakes.
std::vector<planner::UsedEntries> entries_of(const dsl::Source& text, const ScenarioFlags& flags, Session& session);

/// Returns the space of each alternative; nullopt: diagnosed, or not supported across entries. `candidates`: of all,
/// approximately.
std::optional<planner::EntrySpaces> entry_spaces(const planner::ScenarioText& text,
                                                 const std::vector<planner::UsedEntries>& alternatives,
                                                 const planner::SearchOptions& search, double limit, double& candidates,
                                                 dsl::Diagnostics& diagnostics);

/// `search` with a list in `use`: the entries of the catalogue are a choice like any other. REQUIRES: each alternative
/// uses an entry; `search` and `limit` are converted from the flags.
int run_search_of_entries(const SearchFlags& options, const dsl::Source& text,
                          const std::vector<planner::UsedEntries>& alternatives, planner::SearchOptions search,
                          double limit, Session& session, Streams& streams);

}  // namespace cli
