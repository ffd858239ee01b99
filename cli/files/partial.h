// An incomplete search result - a shard, or the results before Ctrl-C. `merge` and `--resume` need more than the rows:
// the member `partial` of the document and of each row.
#pragma once

#include <map>
#include <string>

#include "cli/files/partial_rest.h"
#include "cli/pages/search_report.h"

namespace cli {

struct Partial {
  SearchHead head;
  std::string digest;              // equal if the same candidates have the same figures
  planner::SearchOptions options;  // top, pareto, shard, shards
  planner::SearchResult result;
  SearchedText searched = {};
  std::map<std::string, dsl::Span, std::less<>> places = {};  // by key of `partial`, where it was read from a file
  bool carries_on = true;                                     // whether `merge` and `--resume` could take it
};

/// Digests this build, the scenario, all --set values and the catalogue's figures that it resolves to.
std::string search_digest(const dsl::Source& scenario, const std::vector<std::string>& set,
                          const planner::OpenScenario& open);

/// REQUIRES: `report` is the search_report of the partial result.
void add_partial(Report& report, const Partial& partial);

/// Diagnoses what `partial` and `other` do not have in common: scenario, --top, --pareto. `who`: the other, in words.
void check_same(const Partial& partial, const Partial& other, const std::string& who, dsl::Diagnostics& diagnostics);

}  // namespace cli
