#include "planner/search/search.h"

#include <algorithm>
#include <memory>

#include "dsl/space_size.h"
#include "planner/search/beside.h"
#include "planner/search/bounds.h"
#include "planner/search/checkpoint.h"
#include "planner/search/complete.h"
#include "planner/search/deal.h"
#include "planner/search/goal.h"
#include "planner/search/large_pages.h"
#include "planner/search/prefixes.h"
#include "planner/search/scout.h"
#include "planner/search/unite.h"
#include "planner/search/worker.h"

namespace planner {
namespace {

constexpr double kManyCandidates = 1 << 16;  // of a space whose parts take more memory than a few pages
constexpr int kDescents = 10;                // to estimate its size

struct WalkOutcome {
  Collector all;
  std::optional<Unfinished> unfinished;
};

using Workers = std::vector<std::unique_ptr<Worker>>;

/// The joint result of the stopped workers; `from`: the earlier walk, or null.
WalkOutcome walked_by(const Workers& workers, const WalkParts& parts, const SearchOptions& options, double base,
                      const SearchResult* from) {
  WalkOutcome walked{.all = Collector(options)};
  if (from) walked.all.merge(*from);
  std::vector<Begun> left;
  for (const auto& worker : workers) {
    walked.all.merge(worker->collector);
    left.insert(left.end(), worker->left.begin(), worker->left.end());
  }
  if (left.empty()) return walked;
  walked.unfinished = parts.left(std::move(left));
  walked.unfinished->base = base;
  return walked;
}

SearchResult result_of(const OpenScenario& open, WalkOutcome walked, double base) {
  SearchResult result = conclude(std::move(walked.all), base);
  complete(open, result);
  result.unfinished = std::move(walked.unfinished);
  result.stopped = result.unfinished.has_value();
  return result;
}

/// Empty: all are its own.
std::vector<int64_t> parts_of(const OpenScenario& open, const std::vector<size_t>& order,
                              const SearchOptions& options) {
  return options.shards > 1 ? dealt_parts(open, order, options.shard, options.shards) : std::vector<int64_t>{};
}

using Due = Checkpointer::Clock::time_point;

/// `base`: as a worker's; `from`: the same walk, stopped, or null; `due`: when it is to be kept.
WalkOutcome walk(const OpenScenario& open, const SearchOptions& options, double base, const SearchResult* from,
                 Due& due) {
  SharedParts shared;
  const std::vector<size_t> order = walk_order(open);
  WalkParts parts(from ? &*from->unfinished : nullptr, parts_of(open, order, options));
  const bool helps = StepBounds(open, options, GoalCheck(open, base > 0)).help();
  const double candidates = dsl::size_of(open.space, kDescents).candidates;
  const Collector scouted = helps ? scout(open, options, order, candidates, shared) : Collector(options);
  const Collector::TopPlans& best = scouted.plans();
  std::atomic<double> reached = std::numeric_limits<double>::infinity();
  if (!best.empty() && best.size() == options.top) reached = best.rbegin()->objective;
  Workers workers;
  for (int64_t i = 0; i < std::max<int64_t>(1, options.threads); ++i)
    workers.push_back(std::make_unique<Worker>(open, options, base, order, shared, reached));
  for (const auto& worker : workers) worker->collector.note(scouted.throughput());
  workers.front()->collector.merge(scouted);
  Meeting meeting;
  {
    const Checkpointer checkpointer(options.checkpoints, due, meeting, [&]() -> std::optional<SearchResult> {
      WalkOutcome walked = walked_by(workers, parts, options, base, from);
      if (!walked.unfinished) return std::nullopt;
      return result_of(open, std::move(walked), base);
    });
    run_beside(workers.size(), [&](size_t i) {
      if (candidates > kManyCandidates) prefer_large_pages();
      workers[i]->run(parts, meeting);
    });
  }
  return walked_by(workers, parts, options, base, from);
}

}  // namespace

bool may_be_left(const OpenScenario& open, const Unfinished& left, const SearchOptions& options, int64_t threads) {
  const std::vector<size_t> order = walk_order(open);
  const std::vector<int64_t> dealt = dealt_parts(open, order, options.shard, options.shards);
  const int64_t count = dealt.back();
  const auto is_own = [&](int64_t part) { return part >= count || std::ranges::binary_search(dealt, part); };
  // Threads claim the part after their last one, which may lie behind the last part of the space.
  const bool begun = left.begun.empty() || left.begun.back().part < count + threads;
  return begun && left.next_part <= count + threads && is_own(left.next_part) &&
         std::ranges::all_of(left.begun, [&](const Begun& b) { return is_own(b.part); });
}

SearchResult search(const OpenScenario& open, const SearchOptions& options) {
  Due due = Checkpointer::Clock::now();
  if (options.checkpoints) due += options.checkpoints->every;
  double base = options.resume ? options.resume->unfinished->base : 0;
  WalkOutcome walked = walk(open, options, base, options.resume, due);
  const bool again = base == 0 && !walked.unfinished && reads_scaling(open, options.pareto);
  if (again && walked.all.base_throughput() > 0) {
    base = walked.all.base_throughput();
    if (options.progress) options.progress->best = std::numeric_limits<double>::infinity();
    walked = walk(open, options, base, nullptr, due);
  }
  return result_of(open, std::move(walked), base);
}

}  // namespace planner
