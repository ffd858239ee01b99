// The options of a search, and its result.
//
// How far a layout departs from common practice. If the models cannot distinguish plans, the most usual one is shown
// first (rank_plans.h): errors of the models favour unusual layouts.
// The first departure in which two layouts differ decides: doublings of context parallelism; doublings of nodes that an
// exchange of experts spans; the share of the memory beyond 0.65. Recipes that vendors tuned fill 62 % of the memory on
// average (docs/accuracy/layouts.md, "Layouts that vendors tuned").
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "planner/plan/results.h"
#include "planner/scenario/scenario.h"

namespace planner {

/// One number for each of these, none below 0: the smaller in this order, the more usual.
inline constexpr std::array kDepartureNames{"context parallelism", "nodes of an exchange of experts", "memory"};
using Departures = std::array<double, kDepartureNames.size()>;

Departures departures_of(const Scenario& scenario, const Results& results);
/// Returns the departures from the memory alone: no layout with these results, or with more memory, is more usual.
Departures least_departures(const Results& results);

struct SearchResult;

/// Progress that the threads of a search report while they walk.
struct WalkProgress {
  std::atomic<int64_t> candidates{0};
  std::atomic<double> best{std::numeric_limits<double>::infinity()};  // smallest objective so far
  std::atomic<int64_t> rows{0}, of_rows{0};  // of a study of many searches: those that ended, and all
};

/// How a search is kept while it goes on.
struct Checkpoints {
  std::chrono::milliseconds every{60'000};         // at most this much of its work is lost
  std::function<void(const SearchResult&)> write;  // as if the search had been stopped; on a thread of its own
};

/// How far behind the best plan one that ties with it may be: ln of the ratio of their goals; of goals that do not move
/// with the time, which have to be the same, of their steps.
struct TieWindow {
  double width = 0.1;
  bool timed = true;
};

struct SearchOptions {
  size_t top = 10;                          // plans to show
  std::optional<TieWindow> window;          // the most usual plans within it are kept, too
  std::vector<const ResultRow*> pareto;     // axes of the front; empty: none
  int64_t threads = 1;                      // changes no byte of the result
  int64_t shard = 0, shards = 1;            // part of the space to walk
  bool exhaustive = false;                  // each candidate on its own: changes no byte of the result
  const std::atomic<bool>* stop = nullptr;  // set from outside: the results so far are returned
  const SearchResult* resume = nullptr;     // of the same search, stopped: goes on from there
  WalkProgress* progress = nullptr;
  const Checkpoints* checkpoints = nullptr;  // null: none
};

/// A position is a place in the order of the scenario, whatever the order of the walk: of each item of the space, which
/// of its values it is.
struct Position {
  int64_t part = 0;  // of the walk
  std::vector<uint32_t> at;
  bool operator==(const Position& other) const { return at == other.at; }
  auto operator<=>(const Position& other) const { return at <=> other.at; }
};

/// Figures shown for a costed candidate.
struct Outcome {
  Results results;
  Parallelism parallelism;
  int64_t global_batch = 0, microbatches = 0;
  Departures departures{};
};

/// A found candidate is feasible.
struct Found : Outcome {
  Position position;
  std::vector<dsl::Value> choices;  // of the choices of `space.items()`, in order
  double objective = 0;             // smaller is better
  size_t tied = 0;                  // rank of the first of its group (rank_plans.h), from 1; 0: it is alone

  /// Orders plans, the best first: where the goal is the same (the number of GPUs), the faster one comes first.
  auto rank() const { return std::tie(objective, results.step.seconds, position); }
};

/// A partly walked part, with the number of candidates walked.
struct Begun {
  int64_t part = 0, candidates = 0;
  auto operator<=>(const Begun&) const = default;
};

/// The remaining work of a stopped walk.
struct Unfinished {
  double base = 0;           // > 0: the walk is the second one, and scaling_efficiency relative to this
  int64_t next_part = 0;     // the first part of the shard that no thread has taken
  std::vector<Begun> begun;  // parts before it that are not done
};

/// How far a candidate is beyond its limits. What fits and misses the goal comes before all that does not fit.
struct Excess {
  bool overflows = false;  // a memory
  double shares = 0;       // by which limits are exceeded, in all: 0.1 is 10 % over the memory or the deadline
  auto operator<=>(const Excess&) const = default;
};

/// A costed candidate that is refused, and its distance from the limit.
struct Miss {
  Excess excess;
  Position position;
  std::vector<dsl::Value> choices;  // as in `Found`
};

/// candidates = evaluated + rejections by rules that need no costing; feasible = evaluated - the others.
struct SearchResult {
  int64_t candidates = 0, evaluated = 0, feasible = 0;
  int64_t uncertain = 0;                    // of the feasible: their memory may fit or not (FitVerdict)
  std::map<std::string, int64_t> rejected;  // by rule; a candidate counts under the first that it breaks
  std::vector<Found> plans;                 // best first; behind them those that are more usual
  std::vector<Found> pareto;                // in the order of the enumeration
  std::vector<int64_t> feasible_gpus;       // of the feasible, ascending
  double fewest_throughput = 0;             // tokens per second and GPU of the best on the fewest GPUs
  std::optional<Miss> nearest;              // nothing is feasible: the least excess, then the first in the enumeration
  std::vector<int64_t> valueless;           // candidates by the item of the space that has no value
  std::vector<int64_t> unmet;               // by the condition that does not hold: those over fields, then over results
  int64_t bounded = 0;  // of `evaluated`: decided by a bound of the step. Differs between walks that
                        // say the same, and stands in no report
  bool stopped = false;
  std::optional<Unfinished> unfinished;  // where it was stopped

  /// 0: nothing is feasible.
  int64_t fewest_gpus() const { return feasible_gpus.empty() ? 0 : feasible_gpus.front(); }
  int64_t most_gpus() const { return feasible_gpus.empty() ? 0 : feasible_gpus.back(); }
};

/// Returns the names of the choices, in the order of `Found::choices`.
std::vector<std::string> choice_names(const dsl::Space& space);
/// Returns the values of the choices where the cursor is.
std::vector<dsl::Value> chosen(const dsl::Space& space, const dsl::Cursor& cursor);
/// Makes `at` a position's numbers of the values where the cursor is.
void numbers_at(const dsl::Space& space, const dsl::Cursor& cursor, std::vector<uint32_t>& at);
/// Makes `outcome` the scenario's, whose results these are.
void note_outcome(const Scenario& s, const Results& results, Outcome& outcome);
/// Returns the candidate at the cursor, with this scenario; its position and its ties are left out.
Found found_at(const dsl::Space& space, const dsl::Cursor& cursor, const Scenario& s, const Results& results);

}  // namespace planner
