#include "planner/search/search_result.h"

namespace planner {

std::vector<std::string> choice_names(const dsl::Space& space) {
  std::vector<std::string> names;
  for (const dsl::OpenItem& item : space.items())
    if (item.is_choice) names.push_back(item.path);
  return names;
}

std::vector<dsl::Value> chosen(const dsl::Space& space, const dsl::Cursor& cursor) {
  std::vector<dsl::Value> values;
  for (size_t i = 0; i < space.items().size(); ++i)
    if (space.items()[i].is_choice) values.push_back(cursor.value(i));
  return values;
}

void numbers_at(const dsl::Space& space, const dsl::Cursor& cursor, std::vector<uint32_t>& at) {
  at.clear();
  for (size_t i = 0; i < space.items().size(); ++i) at.push_back(static_cast<uint32_t>(cursor.at(i)));
}

void note_outcome(const Scenario& s, const Results& results, Outcome& outcome) {
  outcome.results = results;
  outcome.parallelism = s.parallelism;
  outcome.global_batch = s.job.global_batch;
  outcome.departures = departures_of(s, results);
  outcome.microbatches = s.job.global_batch / (s.parallelism.dp * s.parallelism.microbatch);
}

Found found_at(const dsl::Space& space, const dsl::Cursor& cursor, const Scenario& s, const Results& results) {
  Found found;
  note_outcome(s, results, found);
  found.choices = chosen(space, cursor);
  return found;
}

}  // namespace planner
