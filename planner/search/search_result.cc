#include "planner/search/search_result.h"

#include <algorithm>
#include <cmath>

namespace planner {

namespace {

constexpr double kUsualShare = 0.65;  // of the memory

double doublings(int64_t count, int64_t of) {
  return std::max(0.0, std::log2(static_cast<double>(count) / static_cast<double>(of)));
}

double memory_beyond_usual(const Results& r) {
  return std::max(0.0, r.peak_bytes / (r.peak_bytes + r.headroom_bytes) - kUsualShare);
}

}  // namespace

Departures departures_of(const Scenario& s, const Results& r) {
  return {doublings(s.parallelism.cp, 1), doublings(expert_set_ranks(s.parallelism), s.cluster.gpus_per_node),
          memory_beyond_usual(r)};
}

Departures least_departures(const Results& r) { return {0, 0, memory_beyond_usual(r)}; }

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
