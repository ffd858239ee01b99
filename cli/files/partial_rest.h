// Data that a part of a search must keep for a search that finds nothing: the number of candidates that each rule
// refused, and the nearest miss. Also the scenario, for reading it again.
#pragma once

#include "cli/input/json_object.h"
#include "cli/report/data.h"
#include "planner/search/search.h"

namespace cli {

/// Is the most that a count may be, so that sums over shards stay whole numbers.
inline constexpr int64_t kMostCount = 1'000'000'000'000'000;
/// Is the most shards of a search.
inline constexpr int64_t kMostShards = 1'000'000;

/// Adds the members `valueless`, `unmet` and `nearest` of `partial`.
void add_refused(const planner::SearchResult& result, const std::vector<std::string>& choices, Data::Object& members);
/// Reads them back; invalid values are diagnosed.
void read_refused(const JsonObject& partial, const std::vector<std::string>& choices, dsl::Diagnostics& diagnostics,
                  planner::SearchResult& result);

/// The searched scenario, as given: printing the whole requires reading it again.
struct SearchedText {
  std::string name, text, directory;  // of the scenario
  std::vector<std::string> set, catalog;
  std::string prices;
};

Data searched_data(const SearchedText& searched);
SearchedText read_searched(const JsonObject& from);

/// The numbers of a position's values, and a position of the members `part` and `at`.
Data::List at_data(const planner::Position& position);
planner::Position read_position(const JsonObject& from);
/// The values of the choices, an object in the report, read back: quantities stay texts.
std::vector<dsl::Value> read_choices(const JsonObject& from, const std::vector<std::string>& names);

}  // namespace cli
